/** Tells files that are not text by their first bytes, so that an import says what to do instead of rejecting every line. */
import { CommandFailed } from "../../src/cli/errors.ts";

const TO_TEXT = "An import reads NDJSON and CSV in UTF-8: ";
const EXPORT_AGAIN = `${TO_TEXT}export the events again with \`--format ndjson\`.`;

/** Other formats by their first bytes, with what to do. */
const OTHER_FORMATS: readonly (readonly [bytes: string, what: string, advice: string])[] = [
  ["PAR1", "a Parquet file", EXPORT_AGAIN],
  ["PK\x03\x04", "an Excel workbook or another zip file", `${TO_TEXT}save it as CSV, or unzip it.`],
  ["\xd0\xcf\x11\xe0", "an Excel workbook", `${TO_TEXT}save it as CSV.`],
  ["\x1f\x8b", "compressed with gzip", `${TO_TEXT}unpack it with \`gunzip\`.`],
  ["\x28\xb5\x2f\xfd", "compressed with zstd", `${TO_TEXT}unpack it with \`unzstd\`.`],
  ["BZh", "compressed with bzip2", `${TO_TEXT}unpack it with \`bunzip2\`.`],
  ["\xfd7zXZ", "compressed with xz", `${TO_TEXT}unpack it with \`unxz\`.`],
  ["SQLite format 3", "an SQLite database", EXPORT_AGAIN],
  ["\xff\xfe", "text in UTF-16", `${TO_TEXT}convert it with \`iconv --from-code=UTF-16 --to-code=UTF-8\`.`],
  ["\xfe\xff", "text in UTF-16", `${TO_TEXT}convert it with \`iconv --from-code=UTF-16 --to-code=UTF-8\`.`],
];
const LONGEST = Math.max(...OTHER_FORMATS.map(([bytes]) => bytes.length));

function refuse(head: Buffer, path: string): void {
  const start = head.toString("latin1");
  if (start === "") throw new CommandFailed(`${path} is empty.`);
  const other = OTHER_FORMATS.find(([bytes]) => start.startsWith(bytes));
  if (other) throw new CommandFailed(`${path} is ${other[1]}. ${other[2]}`);
  // UTF-16 without a mark, and any binary file
  if (start.includes("\0")) throw new CommandFailed(`${path} is not text. ${EXPORT_AGAIN}`);
}

/** Passes the bytes of a file on. @throws CommandFailed when it is empty, or not text in UTF-8 */
export async function* refuseOtherFormats(
  bytes: AsyncIterable<Buffer>,
  path: string,
): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of bytes) {
    if (head === null) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < LONGEST) continue;
    refuse(head, path);
    yield head;
    head = null;
  }
  if (head === null) return;
  refuse(head, path);
  yield head;
}
