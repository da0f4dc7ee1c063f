const ENCODED = /(?:%[0-9a-f]{2})+/gi;
const ENCODED_ASCII = /%([0-7][0-9a-f])/gi;

/** Bytes that are not UTF-8 stay encoded. */
function decodeBytes(bytes: string): string {
  try {
    return decodeURIComponent(bytes);
  } catch {
    return bytes.replace(ENCODED_ASCII, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}

/** The text with its percent-encoded characters decoded, up to four times. */
export function decodePercent(text: string): string {
  let now = text;
  for (let level = 0; level < 4 && now.includes("%"); level++) {
    const before = now;
    now = now.replace(ENCODED, decodeBytes);
    if (now === before) break;
  }
  return now;
}
