/** The checks of an install (docs/api/install.md). Pure; shared by `headwater doctor` and POST …/verify. */
import type { InstallCheck, Verification } from "@headwater/contract";
import { checkApiAddress, withExpectedAddress } from "./address-check.ts";
import { checkBlockedName } from "./blocked-names.ts";
import type { CheckFinding, Evidence } from "./evidence.ts";
import { checkConnectPolicy, checkScriptPolicy } from "./policy.ts";
import { checkActive, checkClock, checkCors, checkOrigin, checkReachable } from "./service-checks.ts";
import { checkKey, checkPage, checkSnippet, checkSnippetOnce } from "./snippet-checks.ts";

const CHECKS: readonly (readonly [InstallCheck["check"], (evidence: Evidence) => CheckFinding])[] = [
  ["page", checkPage],
  ["snippet", checkSnippet],
  ["snippet_once", checkSnippetOnce],
  ["key", checkKey],
  ["api_address", checkApiAddress],
  ["reachable", checkReachable],
  ["cors", checkCors],
  ["source_active", checkActive],
  ["origin", checkOrigin],
  ["csp_script", (evidence) => checkScriptPolicy(withExpectedAddress(evidence))],
  ["csp_connect", (evidence) => checkConnectPolicy(withExpectedAddress(evidence))],
  ["clock", checkClock],
  ["blocked_by_name", checkBlockedName],
];

export function diagnose(evidence: Evidence): Verification {
  const checks = CHECKS.map(([check, run]): InstallCheck => {
    const { status, message, hint = null, paste = null } = run(evidence);
    return { check, status, message, hint, paste };
  });
  const isWorking = checks.every(
    ({ check, status }) => status !== "wrong" && !(check === "reachable" && status === "unknown"),
  );
  return { isWorking, checks };
}
