/** Reads what an export has given. */
import { zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
type ExportedRow = Record<string, any>;

export const linesOf = (text: string): ExportedRow[] =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** By another reader than the service's own: fields may be quoted, a record is a line. */
export function recordsOf(text: string): ExportedRow[] {
  const fieldsOf = (line: string) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
      ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!,
    );
  const [head, ...lines] = text.trimEnd().split("\n").map(fieldsOf);
  return lines.map((fields) => Object.fromEntries(head!.map((name, index) => [name, fields[index]])));
}

export async function rowsOfParquet(bytes: ArrayBuffer): Promise<ExportedRow[]> {
  const compressors = { ZSTD: (part: Uint8Array) => new Uint8Array(zstdDecompressSync(part)) };
  return parquetReadObjects({ file: bytes, compressors });
}
