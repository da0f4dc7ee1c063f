/** More came than may be held. */
export class FileTooLargeError extends Error {}

/** All that comes, as one value; the source is told to end when it is too much. */
export async function collectBlob(
  parts: AsyncIterable<Uint8Array<ArrayBuffer>>,
  mostBytes: number,
): Promise<Blob> {
  const held: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const part of parts) {
    bytes += part.byteLength;
    if (bytes > mostBytes) throw new FileTooLargeError();
    held.push(part);
  }
  return new Blob(held);
}
