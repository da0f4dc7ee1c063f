/** Saves a response as a file. Chromium streams it to disk; other browsers collect it in memory first, up to a limit. */
import { ApiFailure } from "../../api.ts";
import { downloadBlob } from "../../ui/download-blob.ts";
import { collectBlob, FileTooLargeError } from "./collect-blob.ts";

/** The limit for browsers that collect the file in memory. */
const MAX_MEMORY_MEGABYTES = 250;

interface FilePickerWindow {
  /** Only in Chromium, on https and localhost. */
  readonly showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle>;
}

interface SaveResponseOptions {
  readonly name: string;
  /** Called after the user has chosen where to save the file. */
  readonly request: () => Promise<Response>;
  /** Reports the number of bytes received so far. */
  readonly onProgress: (bytes: number) => void;
  /** The hint of the error for a file that is too large for this browser. */
  readonly tooLargeHint: string;
  readonly signal: AbortSignal;
}

function toDownloadError(error: Error, tooLargeHint: string): Error {
  if (error instanceof ApiFailure || error.name === "AbortError") return error;
  const failure =
    error instanceof FileTooLargeError
      ? {
          code: "file_too_large",
          message: `The file is larger than ${MAX_MEMORY_MEGABYTES} MB, which is too much for this browser’s memory.`,
          hint: tooLargeHint,
        }
      : {
          code: "download_interrupted",
          message: "The download was interrupted.",
          hint: "Check that the service is running and that your disk has enough space, then try again.",
        };
  return Object.assign(new Error(failure.message), failure);
}

/** Passes the body through and reports the number of bytes received so far. */
function withProgress(
  { body }: Response,
  onProgress: SaveResponseOptions["onProgress"],
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      onProgress(bytes);
      controller.enqueue(chunk);
    },
  });
  return (body ?? new Blob([]).stream()).pipeThrough(counter);
}

/**
 * @returns false when the user canceled the file dialog
 * @throws an error with a hint when the request fails, the download breaks off or the file is too large
 */
export async function saveResponse(options: SaveResponseOptions): Promise<boolean> {
  const { name, request, onProgress, tooLargeHint, signal } = options;
  const picker: Window & FilePickerWindow = window;
  try {
    if (!picker.showSaveFilePicker) {
      const body = withProgress(await request(), onProgress);
      downloadBlob(await collectBlob(body, MAX_MEMORY_MEGABYTES * 1e6), name);
      return true;
    }
    const file = await picker.showSaveFilePicker({ suggestedName: name }).catch(() => null);
    if (file === null) return false;
    const body = withProgress(await request(), onProgress);
    await body.pipeTo(await file.createWritable(), { signal });
    return true;
  } catch (error) {
    throw toDownloadError(error as Error, tooLargeHint);
  }
}
