/** Problems of a body that its schema does not find. */
import type { Issue } from "@headwater/contract";
import { Refusal } from "../core/refusal.ts";

export type IssuePath = (string | number)[];

export const issueAt = (path: IssuePath, message: string, code: Issue["code"] = "invalid_value"): Issue => ({
  path,
  code,
  message,
});

/** @throws Refusal `invalid_payload` unless there are no issues */
export function refuseIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw new Refusal("invalid_payload", { issues: [...issues] });
}
