/**
 * The options of `headwater source update`, the PATCH body they make, and a source as text. A field of the contract that is
 * missing from the body or from the text does not compile. CONTRIBUTING.md has the recipe for a new field.
 */
import {
  BOT_POLICIES,
  FRAMEWORK_HINTS,
  formatChannelRule,
  formatContentGroup,
  formatGoal,
  type PathRules,
  type Privacy,
  parseChannelRule,
  parseContentGroup,
  parseGoal,
  type QueryParameters,
  type Source,
  type SourceFieldName,
  type SourceLimits,
} from "@headwater/contract";
import { readSiteAddress } from "@headwater/contract/site-address";
import { choice, list, type OptionValues, onOff, parsed, text } from "../command.ts";
import { UsageError } from "../errors.ts";
import { fieldLines, type ReportCell } from "../report.ts";

export const FRAMEWORK_HELP = `The framework of the application: ${FRAMEWORK_HINTS.join(", ")}`;

function readWhole(given: string, name: string): number {
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw new UsageError(`${name} must be a whole number, not ${JSON.stringify(given)}.`);
}

/** A whole number, or the word that clears the setting; the API checks the range. */
const numberOr = (word: "none" | "default", description: string) =>
  parsed(`n|${word}`, description, (given, name) => {
    if (given === word) return null;
    if (/^\d{1,15}$/.test(given)) return Number(given);
    throw new UsageError(`${name} must be a whole number or "${word}", not ${JSON.stringify(given)}.`);
  });

export const SOURCE_OPTIONS = {
  name: text("text", "The source's name"),
  slug: text("text", "The source's name in URLs"),
  origin: list("origin", "An allowed origin. Replaces the whole list; --add-origin keeps the others"),
  "add-origin": list("origin", "An origin to allow besides those that the source has"),
  "remove-origin": list("origin", "An allowed origin to remove"),
  framework: text("name", FRAMEWORK_HELP),
  active: onOff("Accept events. off: bootstrap and events are refused"),
  "require-origin": onOff(
    "Require an Origin header. on: refuse requests without one, such as those of servers and apps",
  ),
  "respect-gpc": onOff(
    "Respect Global Privacy Control. on: visitors who send the signal are not counted unless the page reports their consent",
  ),
  "require-consent": onOff(
    "Require consent. on: nothing is sent before the page reports the visitor's consent",
  ),
  engagement: onOff("Measure time on page and scroll depth. It changes the snippet of the install page"),
  goal: list(
    "goal",
    "A goal: a name and a path or an event, such as Name=path:/thanks*. Optional: conditions (is, is_not, contains, gt, lt) and the value of a conversion, such as 'Name=event:buy; plan is pro; price gt 100; value 25 EUR'. Replaces the whole list; `none` clears it",
  ),
  "content-group": list(
    "group",
    "A group of pages, such as 'Docs=/docs/*; /guides/*'. A page belongs to the first one that it matches. Replaces the whole list; `none` clears it",
  ),
  bots: choice(
    BOT_POLICIES,
    "Events of bots. apart: stored and left out of the stats; reject: not stored; keep: counted",
  ),
  "exclude-path": list(
    "path",
    "A path, with * for any characters, whose events are not stored. Replaces the whole list; `none` clears it",
  ),
  "exclude-address": list(
    "address",
    "An address or CIDR range whose events are not stored. Replaces the whole list; `none` clears it",
  ),
  "query-parameter": list(
    "name",
    "A query parameter that page addresses keep, such as page or filter_*. Replaces the whole list. Instead of names: all, campaign or none",
  ),
  "remove-index": onOff("Store /shop/index.html as /shop/"),
  "remove-trailing-slash": onOff("Store /shop/ as /shop"),
  "lower-case-paths": onOff("Store /Shop as /shop"),
  "merge-path": list(
    "path",
    "A path, such as /orders/*, that matching paths are stored as. Replaces the whole list; `none` clears it",
  ),
  "channel-rule": list(
    "rule",
    "A rule for sources and channels, such as 'referrer=*.partner.example -> Partner | Affiliates'; - keeps the source or the channel. Replaces the whole list; `none` clears it",
  ),
  "embed-origin": list(
    "origin",
    "An origin whose pages may show share links in a frame. Replaces the whole list; `none` clears it",
  ),
  "retention-days": numberOr("none", "Days to keep events; none: forever"),
  "keep-rejected": parsed("days", "Days to keep rejected events for replay; 0: do not keep them", readWhole),
  "max-batch-size": numberOr("default", "Maximum events in a batch; default: the service's setting"),
  "max-payload-bytes": numberOr("default", "Maximum bytes of a request body; default: the service's setting"),
  "client-rate-per-second": numberOr(
    "default",
    "Maximum requests per second from one client address; default: the service's setting",
  ),
  "events-per-day": numberOr("default", "Maximum events stored per UTC day; default: the service's setting"),
  "bytes-per-day": numberOr(
    "default",
    "Maximum bytes of bodies stored per UTC day; default: the service's setting",
  ),
};

/** Whether an option that changes a source was given. */
export const isAnyGiven = (given: OptionValues<typeof SOURCE_OPTIONS>): boolean =>
  Object.entries(given).some(
    ([name, value]) =>
      name in SOURCE_OPTIONS && value !== undefined && !(Array.isArray(value) && value.length === 0),
  );

function readGoal(given: string) {
  const goal = parseGoal(given);
  if (goal) return goal;
  throw new UsageError(
    `--goal must be Name=event:… or Name=path:/…, with conditions and a value such as 'Sold=event:buy; price gt 100; value 25 EUR', not ${JSON.stringify(given)}. --goal none removes all goals.`,
  );
}

function readContentGroup(given: string) {
  const group = parseContentGroup(given);
  if (group) return group;
  throw new UsageError(
    `--content-group must be a name and paths, such as 'Docs=/docs/*; /guides/*', not ${JSON.stringify(given)}. --content-group none removes all groups.`,
  );
}

function readChannelRule(given: string) {
  const rule = parseChannelRule(given);
  if (rule) return rule;
  throw new UsageError(
    `--channel-rule must be such as 'medium=qr* -> Poster | Referral', not ${JSON.stringify(given)}. --channel-rule none removes all rules.`,
  );
}

/** @returns undefined when the option was not given; `none` alone is the empty list */
function readList<T>(given: readonly string[], parse: (item: string) => T): T[] | undefined {
  if (given.length === 0) return undefined;
  return given.length === 1 && given[0] === "none" ? [] : given.map(parse);
}

/** @returns undefined when the option was not given; `all` or `campaign` alone is not a name */
function readQueryParameters(given: readonly string[]): QueryParameters | undefined {
  const [first] = given;
  if (given.length === 1 && (first === "all" || first === "campaign")) return first;
  return readList(given, (name) => name);
}

/**
 * The origins after --origin, --add-origin and --remove-origin; undefined when none was given. The API reads what an origin may be.
 * @param current the origins of the source
 */
function readOriginChange(
  given: Pick<OptionValues<typeof SOURCE_OPTIONS>, "origin" | "add-origin" | "remove-origin">,
  current: readonly string[],
): readonly string[] | undefined {
  const { origin: replacing, "add-origin": added, "remove-origin": removed } = given;
  if (added.length === 0 && removed.length === 0) return replacing.length === 0 ? undefined : replacing;
  if (replacing.length > 0)
    throw new UsageError(
      "--origin replaces the whole list: give it without --add-origin and --remove-origin.",
    );
  const gone = removed.map((origin) => readSiteAddress(origin).origin ?? origin);
  const missing = gone.find((origin) => !current.includes(origin));
  if (missing !== undefined)
    throw new UsageError(
      `--remove-origin ${missing} is not an origin of the source. It has: ${current.join(", ") || "none"}.`,
    );
  return [...current.filter((origin) => !gone.includes(origin)), ...added];
}

/** Leaves out members that were not given; undefined when none is left. */
function givenMembers(members: Record<string, unknown>): Record<string, unknown> | undefined {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/**
 * The body of a PATCH without the workspace; undefined when no option was given. A field without an option is undefined.
 * @param origins the origins of the source
 */
export function buildSourceChange(
  given: OptionValues<typeof SOURCE_OPTIONS>,
  origins: readonly string[],
): Record<string, unknown> | undefined {
  return givenMembers({
    name: given.name,
    slug: given.slug,
    allowedOrigins: readOriginChange(given, origins),
    frameworkHint: given.framework,
    isActive: given.active,
    requireOrigin: given["require-origin"],
    engagement: given.engagement,
    goals: readList(given.goal, readGoal),
    contentGroups: readList(given["content-group"], readContentGroup),
    bots: given.bots,
    excludedPaths: readList(given["exclude-path"], (path) => path),
    excludedAddresses: readList(given["exclude-address"], (address) => address),
    queryParameters: readQueryParameters(given["query-parameter"]),
    pathRules: givenMembers({
      removeIndex: given["remove-index"],
      removeTrailingSlash: given["remove-trailing-slash"],
      lowerCase: given["lower-case-paths"],
      patterns: readList(given["merge-path"], (path) => path),
    } satisfies Record<keyof PathRules, unknown>),
    channelRules: readList(given["channel-rule"], readChannelRule),
    retentionDays: given["retention-days"],
    keepRejected: given["keep-rejected"],
    embedOrigins: readList(given["embed-origin"], (origin) => origin),
    privacy: givenMembers({
      respectGpc: given["respect-gpc"],
      requireConsent: given["require-consent"],
    } satisfies Record<keyof Privacy, unknown>),
    limits: givenMembers({
      maxBatchSize: given["max-batch-size"],
      maxPayloadBytes: given["max-payload-bytes"],
      clientRatePerSecond: given["client-rate-per-second"],
      eventsPerDay: given["events-per-day"],
      bytesPerDay: given["bytes-per-day"],
    } satisfies Record<keyof SourceLimits, unknown>),
  } satisfies Record<SourceFieldName, unknown>);
}

const toOnOff = (isOn: boolean) => (isOn ? "on" : "off");

type DescribedLine = readonly [name: string, value: ReportCell];

/** The lines of each field. An empty list hides the field. */
const DESCRIBED_FIELDS: Record<SourceFieldName, (source: Source) => readonly DescribedLine[]> = {
  name: ({ name }) => [["name", name]],
  slug: ({ slug }) => [["slug", slug]],
  allowedOrigins: ({ allowedOrigins }) => [["origins", allowedOrigins.join(", ")]],
  frameworkHint: ({ frameworkHint }) => [["framework", frameworkHint]],
  isActive: ({ isActive }) => [["active", toOnOff(isActive)]],
  requireOrigin: ({ requireOrigin }) => [["require origin", toOnOff(requireOrigin)]],
  privacy: ({ privacy }) => [
    ["respect GPC", toOnOff(privacy.respectGpc)],
    ["require consent", toOnOff(privacy.requireConsent)],
  ],
  engagement: ({ engagement }) => [["engagement", engagement ? "measured" : "not measured"]],
  goals: ({ goals }) => goals.map((goal) => ["goal", formatGoal(goal)]),
  contentGroups: ({ contentGroups }) =>
    contentGroups.map((group) => ["content group", formatContentGroup(group)]),
  bots: ({ bots }) => [["bots", bots]],
  excludedPaths: ({ excludedPaths }) => [["excluded paths", excludedPaths.join(", ")]],
  excludedAddresses: ({ excludedAddresses }) => [["excluded addresses", excludedAddresses.join(", ")]],
  queryParameters: ({ queryParameters }) => [
    ["query parameters", typeof queryParameters === "string" ? queryParameters : queryParameters.join(", ")],
  ],
  pathRules: ({ pathRules }) => [
    ["remove index", toOnOff(pathRules.removeIndex)],
    ["remove trailing slash", toOnOff(pathRules.removeTrailingSlash)],
    ["lower-case paths", toOnOff(pathRules.lowerCase)],
    ["merged paths", pathRules.patterns.join(", ")],
  ],
  channelRules: ({ channelRules }) => [["channel rules", channelRules.map(formatChannelRule).join(", ")]],
  retentionDays: ({ retentionDays }) => [
    ["retention", retentionDays === null ? "forever" : `${retentionDays} days`],
  ],
  keepRejected: ({ keepRejected }) => [["keeps rejected events", `${keepRejected} days`]],
  embedOrigins: ({ embedOrigins }) => [["embed origins", embedOrigins.join(", ")]],
  limits: ({ limits }) => [
    ["batch size", limits.maxBatchSize ?? "default"],
    ["payload bytes", limits.maxPayloadBytes ?? "default"],
    ["client rate", limits.clientRatePerSecond ?? "default"],
    ["events per day", limits.eventsPerDay ?? "default"],
    ["bytes per day", limits.bytesPerDay ?? "default"],
  ],
};

export const describeSource = (source: Source): string =>
  fieldLines([
    ["id", source.sourceId],
    ["public key", source.publicKey],
    ...Object.values(DESCRIBED_FIELDS).flatMap((describe) => describe(source)),
  ]);
