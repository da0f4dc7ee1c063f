/** Values of the wrong JSON type, for tables of invalid bodies. */
import type { Fields } from "./client.ts";

const VALUES: Record<string, unknown> = {
  missing: undefined,
  null: null,
  "a string": "text",
  "a number": 7,
  "a boolean": true,
  "an array": [],
  "an object": {},
};

const NAMES = { string: "a string", number: "a number", object: "an object", array: "an array" } as const;

/** Bodies in which the member has any type but the given one. */
export function notA(type: keyof typeof NAMES, member: string): Record<string, Fields> {
  const wrong = Object.entries(VALUES).filter(([name]) => name !== NAMES[type]);
  return Object.fromEntries(wrong.map(([name, value]) => [`${member} ${name}`, { [member]: value }]));
}
