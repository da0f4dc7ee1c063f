/** Statements whose values are all bound: what a caller has said is never a part of their text. */

/** `{name:Type}` of ClickHouse's dialect. */
export type ParameterType =
  | "String"
  | "Array(String)"
  | "Float64"
  | "Array(Float64)"
  | "Int64"
  | "Array(Int64)"
  | "UInt32"
  | "Array(UInt64)"
  | "Array(Date)";
export type Parameter = string | number | readonly string[] | readonly number[];

export interface Statement {
  readonly query: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
}

/** Binds a value and gives what stands for it in the text. */
export type Bind = (type: ParameterType, value: Parameter) => string;

/** @param write makes the text, binding what it needs */
export function statement(write: (bind: Bind) => string): Statement {
  const parameters: Record<string, Parameter> = {};
  let bound = 0;
  const bind: Bind = (type, value) => {
    const name = `p${bound++}`;
    parameters[name] = value;
    return `{${name}:${type}}`;
  };
  return { query: write(bind), parameters };
}

export const all = (conditions: readonly string[]): string =>
  conditions.length === 0 ? "1" : conditions.map((one) => `(${one})`).join(" AND ");
export const any = (conditions: readonly string[]): string =>
  conditions.length === 0 ? "0" : conditions.map((one) => `(${one})`).join(" OR ");
