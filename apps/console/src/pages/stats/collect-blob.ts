/** Thrown when a download is larger than the browser may hold in memory. */
export class FileTooLargeError extends Error {}

/**
 * Collects the chunks of a stream into one blob.
 * @throws FileTooLargeError beyond `maxBytes`; the stream is then cancelled
 */
export async function collectBlob(
  chunks: AsyncIterable<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): Promise<Blob> {
  const collected: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new FileTooLargeError();
    collected.push(chunk);
  }
  return new Blob(collected);
}
