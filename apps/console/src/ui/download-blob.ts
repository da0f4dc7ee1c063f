/** Saves a blob as a file through the browser's download. */
export function downloadBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // by then the browser has read the blob
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
