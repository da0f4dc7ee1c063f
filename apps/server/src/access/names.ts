/** The names of workspaces, members and tokens: trimmed, not empty, without control characters. */
import type { Issue } from "@headwater/contract";
import { Refusal } from "../core/refusal.ts";

function nameIssue(field: string, name: string): Issue | null {
  if (name === "") return { path: [field], code: "too_short", message: `${field} must not be empty` };
  if (!/\p{Cc}/u.test(name)) return null;
  return { path: [field], code: "invalid_value", message: `${field} must not contain control characters` };
}

/** The name as it is stored. Throws 422 `invalid_payload`. The schema checks the length. */
export function readName(field: string, text: string): string {
  const name = text.trim();
  const issue = nameIssue(field, name);
  if (issue) throw new Refusal("invalid_payload", { issues: [issue] });
  return name;
}

/** Applies the same rule to a body of any shape (`FieldRules`). */
export const checkName =
  (field: string) =>
  (body: Readonly<Record<string, unknown>>): void => {
    const text = body[field];
    if (typeof text === "string") readName(field, text);
  };
