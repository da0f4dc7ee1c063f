/** An answer saved as a file while it comes, where the browser can write files; else gathered, within a bound, and saved at its end. */
import { ApiError } from "../../api.ts";
import { downloadBlob } from "../../ui/download-blob.ts";
import { collectBlob, FileTooLargeError } from "./collect-blob.ts";

/** As much as a tab can hold beside its page. */
const GATHERED_MEGABYTES = 250;

interface FilePicker {
  /** Chromium's, on https and on this machine. */
  readonly showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle>;
}

export interface Download {
  readonly name: string;
  /** StatsScope when it is known where its answer goes. */
  readonly ask: () => Promise<Response>;
  readonly onBytes: (bytes: number) => void;
  /** What to do about a file that is too large for this browser. */
  readonly otherwise: string;
  readonly signal: AbortSignal;
}

function told(error: Error, { otherwise }: Download): Error {
  if (error instanceof ApiError || error.name === "AbortError") return error;
  const failure =
    error instanceof FileTooLargeError
      ? {
          code: "too_large_to_gather",
          message: `The file has more than ${GATHERED_MEGABYTES} MB, all of which this browser would have to hold in memory.`,
          hint: otherwise,
        }
      : {
          code: "broke_off",
          message: "The file broke off before its end.",
          hint: "Check that the service runs and the disk has room, and take it again.",
        };
  return new ApiError(0, failure);
}

function counted({ body }: Response, onBytes: Download["onBytes"]): ReadableStream<Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  const count = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(part, out) {
      bytes += part.byteLength;
      onBytes(bytes);
      out.enqueue(part);
    },
  });
  return body!.pipeThrough(count);
}

/** @returns false when no place for it was chosen */
export async function save(download: Download): Promise<boolean> {
  const { name, ask, onBytes, signal } = download;
  const picker = window as Window & FilePicker;
  try {
    if (!picker.showSaveFilePicker) {
      downloadBlob(await collectBlob(counted(await ask(), onBytes), GATHERED_MEGABYTES * 1e6), name);
      return true;
    }
    const place = await picker.showSaveFilePicker({ suggestedName: name }).catch(() => null);
    if (place === null) return false;
    const answer = counted(await ask(), onBytes);
    await answer.pipeTo(await place.createWritable(), { signal });
    return true;
  } catch (error) {
    throw told(error as Error, download);
  }
}
