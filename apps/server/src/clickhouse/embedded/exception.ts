/** Exceptions as ClickHouse's HTTP interface tells them. */

/** Its message begins with `Code: N. DB::Exception:` and ends with the name of the code. */
export class Exception extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const exception = (code: number, name: string, text: string): Exception =>
  new Exception(code, `Code: ${code}. DB::Exception: ${text}. (${name})`);

const CODE = /^Code: (\d+)\./;

/** What the engine has thrown. */
export function exceptionOf(error: unknown): Exception {
  if (error instanceof Exception) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = CODE.exec(message)?.[1];
  // 1001: STD_EXCEPTION
  return code ? new Exception(Number(code), message) : exception(1001, "STD_EXCEPTION", message);
}

const BAD_REQUEST = [
  6, 8, 15, 25, 26, 27, 36, 37, 38, 41, 44, 53, 62, 72, 117, 123, 167, 168, 223, 321, 376, 427, 441, 675, 676,
];
const NOT_FOUND = [46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 152, 336, 511];
const STATUS: Readonly<Record<number, number>> = Object.fromEntries([
  ...BAD_REQUEST.map((code) => [code, 400]),
  [194, 401],
  ...[192, 193, 497, 512, 516].map((code) => [code, 403]),
  ...NOT_FOUND.map((code) => [code, 404]),
  [159, 408],
  [381, 411],
  [229, 413],
  [779, 415],
  [48, 501],
  ...[76, 209, 439].map((code) => [code, 503]),
]);

/** As `exceptionCodeToHTTPStatus` of ClickHouse has it; 500 is every other's. */
export const statusOf = ({ code }: Exception): number => STATUS[code] ?? 500;

/** What tells a client of an exception after rows have left (ClickHouse 25.11 and later). */
export function trailerOf({ message }: Exception, tag: string): string {
  const text = `${message}\n`;
  return `\r\n__exception__\r\n${tag}\r\n${text}${Buffer.byteLength(text)} ${tag}\r\n__exception__\r\n`;
}
