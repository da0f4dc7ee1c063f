/** The checks of an install, one by one (CONTRACT section 7). Pure: the same for the command and for the service. */
import type { Check, Verification } from "@headwater/contract";
import { apiAddress, withRightAddress } from "./address-check.ts";
import { blockedByName } from "./blocked-names.ts";
import type { Evidence, Finding } from "./evidence.ts";
import { connectAllowed, scriptAllowed } from "./policy-checks.ts";
import { clock, cors, origin, reachable, sourceActive } from "./service-checks.ts";
import { key, page, snippet, snippetOnce } from "./snippet-checks.ts";

const ALL: readonly (readonly [Check["check"], (evidence: Evidence) => Finding])[] = [
  ["page", page],
  ["snippet", snippet],
  ["snippet_once", snippetOnce],
  ["key", key],
  ["api_address", apiAddress],
  ["reachable", reachable],
  ["cors", cors],
  ["source_active", sourceActive],
  ["origin", origin],
  ["csp_script", (evidence) => scriptAllowed(withRightAddress(evidence))],
  ["csp_connect", (evidence) => connectAllowed(withRightAddress(evidence))],
  ["clock", clock],
  ["blocked_by_name", blockedByName],
];

export function diagnose(evidence: Evidence): Verification {
  const checks = ALL.map(([check, examine]): Check => {
    const { status, message, hint = null, paste = null } = examine(evidence);
    return { check, status, message, hint, paste };
  });
  const isWorking = checks.every(
    ({ check, status }) => status !== "wrong" && !(check === "reachable" && status === "unknown"),
  );
  return { isWorking, checks };
}
