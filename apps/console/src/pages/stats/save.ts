/** An answer saved as a file while it comes, where the browser can write files; else gathered, within a bound, and saved at its end. */
import { ApiError } from "../../api.ts";
import { offer } from "../../ui/offer.ts";

/** As much as a tab can hold beside its page. */
export const MAX_GATHERED_BYTES = 250_000_000;

interface FilePicker {
  /** Chromium's, on https and on this machine. */
  readonly showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle>;
}

export interface Download {
  readonly name: string;
  /** Asked when it is known where its answer goes. */
  readonly ask: () => Promise<Response>;
  readonly onBytes: (bytes: number) => void;
  /** What to do about a file that is too large for this browser. */
  readonly otherwise: string;
  readonly signal: AbortSignal;
}

const brokeOff = (error: Error): Error =>
  error instanceof ApiError || error.name === "AbortError"
    ? error
    : new ApiError(0, {
        code: "broke_off",
        message: "The file broke off before its end.",
        hint: "Check that the service runs and the disk has room, and take it again.",
      });

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

async function gather({ ask, onBytes, otherwise }: Download): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const part of counted(await ask(), onBytes)) {
    bytes += part.byteLength;
    if (bytes > MAX_GATHERED_BYTES)
      throw new ApiError(0, {
        code: "too_large_to_gather",
        message: `The file is larger than ${MAX_GATHERED_BYTES / 1e6} MB, which this browser would have to hold in memory.`,
        hint: otherwise,
      });
    parts.push(part);
  }
  return new Blob(parts);
}

/** @returns false when no place for it was chosen */
export async function save(download: Download): Promise<boolean> {
  const { name, ask, onBytes, signal } = download;
  const picker = window as Window & FilePicker;
  try {
    if (!picker.showSaveFilePicker) {
      offer(await gather(download), name);
      return true;
    }
    const place = await picker.showSaveFilePicker({ suggestedName: name }).catch(() => null);
    if (place === null) return false;
    const response = await ask();
    await counted(response, onBytes).pipeTo(await place.createWritable(), { signal });
    return true;
  } catch (error) {
    throw brokeOff(error as Error);
  }
}
