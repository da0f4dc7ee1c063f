/** SQL statements with bound values: nothing that a caller sends becomes a part of the text. */

/** The types of bound values, as ClickHouse names them in `{name:Type}`. */
type ParameterType =
  | "String"
  | "Array(String)"
  | "Float64"
  | "Array(Float64)"
  | "Int64"
  | "Array(Int64)"
  | "UInt32"
  | "Array(UInt64)"
  | "Date"
  | "Array(Date)";
export type Parameter = string | number | readonly string[] | readonly number[];

export interface Statement {
  readonly query: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** Default: as many as an answer has. */
  readonly maxRows?: number;
  /** Whether few of the rows that it reads satisfy its conditions. */
  readonly isSelective?: boolean;
}

/** Binds a value and returns the placeholder to write into the SQL. */
export type Bind = (type: ParameterType, value: Parameter) => string;

/** @param write returns the text of the statement, and binds the values that it needs */
export function statement(write: (bind: Bind) => string): Statement {
  const parameters: Record<string, Parameter> = {};
  const boundLists = new Map<Parameter, string>();
  let bound = 0;
  const bind: Bind = (type, value) => {
    const known = boundLists.get(value);
    if (known?.endsWith(`:${type}}`)) return known;
    const name = `p${bound++}`;
    parameters[name] = value;
    const placeholder = `{${name}:${type}}`;
    // the URL has a list once: the ids of 1,000 sources have 40 KB
    if (Array.isArray(value)) boundLists.set(value, placeholder);
    return placeholder;
  };
  return { query: write(bind), parameters };
}

const join = (conditions: readonly string[], operator: string, whenEmpty: string) =>
  conditions.length === 0 ? whenEmpty : conditions.map((one) => `(${one})`).join(operator);
export const allOf = (conditions: readonly string[]): string => join(conditions, " AND ", "1");
export const anyOf = (conditions: readonly string[]): string => join(conditions, " OR ", "0");

export const list = (columns: readonly string[]): string => columns.join(", ");
export const groupBy = (columns: readonly string[]): string =>
  columns.length === 0 ? "" : `GROUP BY ${list(columns)}`;

/** A time in milliseconds since the epoch as a value of ClickHouse. */
export const bindTime = (bind: Bind, at: number): string =>
  `fromUnixTimestamp64Milli(${bind("Int64", at)}, 'UTC')`;

const HAS_SURROGATE = /[\ud800-\udfff]/;
/** Compares texts as ClickHouse sorts them: by their bytes, in the order of code points. */
export function compareText(one: string, other: string): number {
  // code units have the order of bytes, unless a character has two of them; comparing bytes would copy each text
  if (!HAS_SURROGATE.test(one) && !HAS_SURROGATE.test(other)) return one < other ? -1 : Number(one > other);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
