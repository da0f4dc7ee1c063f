/**
 * Checks whether filter lists block the page's addresses by their names. The patterns are the general rules of
 * EasyPrivacy, which most blockers use: they block hosts and folders with such names, whatever serves them.
 */
import { HEADWATER } from "../core/command-name.ts";
import {
  apiBaseOf,
  type CheckFinding,
  type Evidence,
  ok,
  originOf,
  scriptUrlOf,
  unknown,
  warning,
} from "./evidence.ts";

/** Hosts that are blocked whatever the path. */
const BLOCKED_HOSTS = /^(?:matomo|piwik|posthog|fathom|segment-api|segment-cdn)\./;
/** Hosts that are blocked when the path contains `/event`, as the events route does. */
const BLOCKED_EVENT_HOSTS = /^(?:analytics|stats|collector|tracking)\./;
/** First labels of a host that many blockers' own lists contain. */
const SUSPICIOUS_LABELS =
  /^(?:analytics|stats|statistics|track|tracker|tracking|collect|collector|beacon|metrics|telemetry|pixel)$/;
const BLOCKED_FOLDERS =
  /\/(?:web-analytics|web_analytics|webanalytics|analytics|tracker|tracking|statistics|telemetry)\//i;

/** @returns why filter lists block the address, as the end of a sentence; null: no known rule matches */
export function findBlockReason(base: string): string | null {
  const url = URL.parse(base);
  if (!url) return null;
  const host = url.hostname;
  const [label = ""] = host.split(".");
  if (BLOCKED_HOSTS.test(host) || BLOCKED_EVENT_HOSTS.test(host))
    return `an EasyPrivacy rule matches hosts that start with \`${label}.\``;
  if (SUSPICIOUS_LABELS.test(label)) return `filter lists match hosts that start with \`${label}.\``;
  const folder = BLOCKED_FOLDERS.exec(`${url.pathname}/`)?.[0];
  return folder === undefined ? null : `filter lists match paths that contain \`${folder}\``;
}

export function checkBlockedName(evidence: Evidence): CheckFinding {
  const base = apiBaseOf(evidence);
  if (base === null) return unknown("The address that the page sends to is unknown.");
  const addresses = [base, scriptUrlOf(evidence) ?? base];
  const blocked = addresses.find((address) => findBlockReason(address) !== null);
  if (blocked === undefined) return ok("No known filter list blocks the address by its name.");
  const isFirstParty = originOf(blocked) === originOf(evidence.report.url);
  return warning(
    `Ad blockers may block ${blocked}: ${findBlockReason(blocked)}.`,
    isFirstParty
      ? "Use a path with a neutral name, such as /hw. This command prints the rules for nginx:"
      : "Serve it under a host with a neutral name, or proxy it through your own site. This command prints the rules for nginx:",
    `${HEADWATER} source install ${evidence.service.sourceId ?? "<source id>"} --proxy nginx --path /hw`,
  );
}
