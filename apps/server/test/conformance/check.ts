/** A check is one sentence of docs/spec.md, tried in one case. */
import assert from "node:assert/strict";
import type { SpecAnswer, SpecClient } from "./client.ts";

type RunCheck = (client: SpecClient) => Promise<void>;

export interface SpecCheck {
  title: string;
  run: RunCheck;
}

/** The checks of one sentence of the specification, one for each case. */
export function rule(section: string, sentence: string, cases: Record<string, RunCheck>): SpecCheck[] {
  return Object.entries(cases).map(([name, run]) => ({
    title: `§${section} ${sentence} [${name}]`,
    run,
  }));
}

/** Makes one case of each entry of a table. */
export function cases<Row>(table: Record<string, Row>, run: (row: Row, client: SpecClient) => Promise<void>) {
  return Object.fromEntries(
    Object.entries(table).map(([name, row]): [string, RunCheck] => [name, (client) => run(row, client)]),
  );
}

export const isObject = (value: unknown): value is Record<PropertyKey, unknown> =>
  typeof value === "object" && value !== null;

/** The value under a path of keys, or undefined. */
export function at(value: unknown, ...path: PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

export function text(value: unknown, ...path: PropertyKey[]): string {
  const found = at(value, ...path);
  assert.ok(typeof found === "string" && found !== "", `no text at ${path.join(".")}: ${show(value)}`);
  return found;
}

export function integer(value: unknown, ...path: PropertyKey[]): number {
  const found = at(value, ...path);
  assert.ok(
    typeof found === "number" && Number.isInteger(found),
    `no integer at ${path.join(".")}: ${show(value)}`,
  );
  return found;
}

export function list(value: unknown, ...path: PropertyKey[]): unknown[] {
  const found = at(value, ...path);
  assert.ok(Array.isArray(found), `no array at ${path.join(".")}: ${show(value)}`);
  return found;
}

export function show(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 1_000) ?? "undefined";
}

/** Every value in a JSON value, with the name that it has there. */
export function* namedValuesIn(value: unknown, name = ""): Generator<[name: string, value: unknown]> {
  yield [name, value];
  if (!isObject(value)) return;
  for (const [key, inner] of Object.entries(value)) yield* namedValuesIn(inner, key);
}

export const contains = (value: unknown, wanted: unknown): boolean =>
  [...namedValuesIn(value)].some(([, inner]) => inner === wanted);

export function status(answer: SpecAnswer, ...wanted: number[]): void {
  assert.ok(
    wanted.includes(answer.status),
    `${answer.status}, not ${wanted}: ${answer.text.slice(0, 1_000)}`,
  );
}

export const succeeded = (answer: SpecAnswer): void => status(answer, 200, 201);

/** The specification names no status for an invalid body of the workspace API: either of the usual two will do. */
export const invalidInput = (answer: SpecAnswer): void => status(answer, 400, 422);

/** "invalid bootstrap or events payload; the body includes an `issues` array" */
export function invalidPayload(answer: SpecAnswer): void {
  status(answer, 422);
  assert.ok(list(answer.body, "issues").length > 0, answer.text);
}
