/**
 * Do lists of trackers block the addresses by their names? Read off the general rules of EasyPrivacy, which most
 * blockers hold: they know no Headwater, but hosts with these first names, and folders with these.
 */
import {
  apiBaseOf,
  type Evidence,
  type Finding,
  ok,
  originOf,
  scriptUrlOf,
  unknown,
  warning,
} from "./evidence.ts";

/** Blocked whatever follows. */
const HOSTS = /^(?:matomo|piwik|posthog|fathom|segment-api|segment-cdn)\./;
/** Blocked when the path holds `/event`, as the events route does. */
const EVENT_HOSTS = /^(?:analytics|stats|collector|tracking)\./;
/** Names that many blockers' own lists hold as a host's first or as a folder. */
const NAMES =
  /^(?:analytics|stats|statistics|track|tracker|tracking|collect|collector|beacon|metrics|telemetry|pixel)$/;
const FOLDERS =
  /\/(?:web-analytics|web_analytics|webanalytics|analytics|tracker|tracking|statistics|telemetry)\//i;

/** Why lists of trackers block an address by its name, as the end of a sentence; null: none that is known here does. */
export function reasonFor(base: string): string | null {
  const url = URL.parse(base);
  if (!url) return null;
  const host = url.hostname;
  const [first = ""] = host.split(".");
  if (HOSTS.test(host) || EVENT_HOSTS.test(host)) return `a rule of EasyPrivacy names hosts like ${first}.…`;
  if (NAMES.test(first)) return `lists of trackers name hosts like ${first}.…`;
  const folder = FOLDERS.exec(`${url.pathname}/`)?.[0];
  return folder === undefined ? null : `lists of trackers name folders like ${folder}`;
}

export function blockedByName(evidence: Evidence): Finding {
  const base = apiBaseOf(evidence);
  if (base === null) return unknown("Where the page sends to is not known.");
  const addresses = [base, scriptUrlOf(evidence) ?? base];
  const blocked = addresses.find((address) => reasonFor(address) !== null);
  if (blocked === undefined) return ok("No list that is known here blocks the address by its name.");
  const isFirstParty = originOf(blocked) === originOf(evidence.report.url);
  return warning(
    `Blockers may block ${blocked} by its name: ${reasonFor(blocked)}.`,
    isFirstParty
      ? "Take a path with a plain name, such as /hw."
      : "Serve it under a host with a plain name, or under a path of your own site (`proxy` of the install payload).",
    `headwater source install ${evidence.service.sourceId ?? "<source id>"} --proxy nginx --path /hw`,
  );
}
