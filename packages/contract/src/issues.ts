/** The issues that a 422 response lists. */

/** Why a field of a request is not valid (docs/api/conventions.md). */
export const ISSUE_CODES = [
  "required",
  "invalid_type",
  "invalid_value",
  "too_short",
  "too_long",
  "too_many",
  "invalid_timestamp",
  "invalid_json",
  "invalid_encoding",
  "unknown_field",
] as const;
export type IssueCode = (typeof ISSUE_CODES)[number];

export interface Issue {
  path: (string | number)[];
  code: IssueCode;
  message: string;
  eventId?: string;
}
