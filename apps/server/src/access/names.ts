/** Names that people give to workspaces, members and tokens: trimmed, not empty, without control characters. */
import type { Issue } from "@headwater/contract";
import { Refusal } from "../core/refusal.ts";

export function nameIssue(field: string, trimmed: string): Issue | null {
  if (trimmed === "") return { path: [field], code: "too_short", message: `${field} must not be empty` };
  if (/\p{Cc}/u.test(trimmed)) {
    return { path: [field], code: "invalid_value", message: `${field} must not contain control characters` };
  }
  return null;
}

/** A rule of bodies of any shape (`FieldRules`): this field, when it is text. */
export const checkName =
  (field: string) =>
  (body: Readonly<Record<string, unknown>>): void => {
    const text = body[field];
    if (typeof text === "string") readName(field, text);
  };

/** The name as it is kept; throws the 422. The length is the schema's to check. */
export function readName(field: string, text: string): string {
  const trimmed = text.trim();
  const issue = nameIssue(field, trimmed);
  if (issue) throw new Refusal("invalid_payload", { issues: [issue] });
  return trimmed;
}
