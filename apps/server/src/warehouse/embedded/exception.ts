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

const STATUS: Readonly<Record<number, number>> = Object.fromEntries([
  ...[6, 26, 27, 36, 38, 41, 42, 43, 44, 53, 62, 69, 70, 72, 117, 130, 131, 386].map((code) => [code, 400]),
  ...[46, 47, 50, 56, 60, 81, 115].map((code) => [code, 404]),
  ...[164, 192, 193, 497, 516].map((code) => [code, 403]),
  [159, 408],
  [48, 501],
  ...[202, 236].map((code) => [code, 503]),
]);

/** As `exceptionCodeToHTTPStatus` of ClickHouse's HTTPHandler.cpp has it, for the codes that are met here. */
export const statusOf = ({ code }: Exception): number => STATUS[code] ?? 500;

/** What tells a client of an exception after rows have left (ClickHouse 25.11 and later). */
export function trailerOf({ message }: Exception, tag: string): string {
  const text = `${message}\n`;
  return `\r\n__exception__\r\n${tag}\r\n${text}${Buffer.byteLength(text)} ${tag}\r\n__exception__\r\n`;
}
