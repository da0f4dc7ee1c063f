/** The names of workspaces, members and tokens: trimmed, not empty, without control characters. */
import type { Issue } from "@headwater/contract";
import { issueAt, requireNoIssues } from "../core/refusal.ts";

function nameIssue(field: string, name: string): Issue | null {
  if (name === "") return issueAt(field, `${field} must not be empty`, "too_short");
  return /\p{Cc}/u.test(name) ? issueAt(field, `${field} must not contain control characters`) : null;
}

/** The name as it is stored. Throws 422 `invalid_payload`. The schema checks the length. */
export function readName(field: string, text: string): string {
  const name = text.trim();
  const issue = nameIssue(field, name);
  if (issue) requireNoIssues([issue]);
  return name;
}

/** Applies the same rule to a body of any shape (`FieldRules`). */
export const checkName =
  (field: string) =>
  (body: Readonly<Record<string, unknown>>): void => {
    const text = body[field];
    if (typeof text === "string") readName(field, text);
  };
