/** Exceptions in the text format of ClickHouse, which the official client parses. */

/** Its message starts with `Code: N. DB::Exception:` and ends with the name of the code. */
export class ClickHouseException extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const exception = (code: number, name: string, text: string): ClickHouseException =>
  new ClickHouseException(code, `Code: ${code}. DB::Exception: ${text}. (${name})`);

const CODE = /^Code: (\d+)\./;

/** Anything thrown, as an exception; what does not come from the engine gets code 1001 (STD_EXCEPTION). */
export function toException(error: unknown): ClickHouseException {
  if (error instanceof ClickHouseException) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = CODE.exec(message)?.[1];
  return code ? new ClickHouseException(Number(code), message) : exception(1001, "STD_EXCEPTION", message);
}

/** The text after the rows of an answer that fails after its start (ClickHouse 25.11 and later). */
export function trailerOf({ message }: ClickHouseException, tag: string): string {
  const text = `${message}\n`;
  return `\r\n__exception__\r\n${tag}\r\n${text}${Buffer.byteLength(text)} ${tag}\r\n__exception__\r\n`;
}
