/** The flags of `headwater source update`, and what they come to. */
import { BOT_POLICIES, type Source } from "@headwater/contract";
import type { ArgsDef } from "citty";
import { valuesOf } from "./arguments.ts";
import { UsageError } from "./failure.ts";
import { fields } from "./report.ts";

const ON_OFF = { type: "enum" as const, options: ["on", "off"] };
const DEFAULT = "default";
const NONE = "none";

export const SOURCE_FLAGS = {
  name: { type: "string", description: "Its name, for people" },
  slug: { type: "string", description: "Its name in addresses" },
  origin: {
    type: "string",
    description: "An origin that may send; may be repeated. Those given replace the whole list",
  },
  framework: {
    type: "string",
    description: "nextjs, react, vue, nuxt, svelte, angular, astro, remix or html",
  },
  active: { ...ON_OFF, description: "off: bootstrap and events are refused until it is on again" },
  "require-origin": {
    ...ON_OFF,
    description: "off: a client that sends no Origin (a server, an app) is let in",
  },
  "respect-gpc": { ...ON_OFF, description: "on: visitors with Global Privacy Control are not counted" },
  "require-consent": { ...ON_OFF, description: "on: nothing is counted before the page says so" },
  goal: {
    type: "string",
    description:
      "A goal, as Name=event:signup or Name=path:/thanks*; may be repeated. Those given replace the whole list; none: no goals",
  },
  bots: {
    type: "enum",
    options: [...BOT_POLICIES],
    description: "apart: marked, and left out of the numbers; reject: not stored; keep: as everybody else",
  },
  "exclude-path": {
    type: "string",
    valueHint: "path",
    description:
      "A path, with * for any characters, whose events are not stored; may be repeated. Those given replace the whole list; none: all are stored",
  },
  "retention-days": {
    type: "string",
    valueHint: "n",
    description: "Days that its events are kept; none: for ever",
  },
  "max-batch-size": {
    type: "string",
    valueHint: "n",
    description: "Events in a batch; default: the service's",
  },
  "max-payload-bytes": {
    type: "string",
    valueHint: "n",
    description: "Bytes of a request; default: the service's",
  },
  "client-rate-per-second": {
    type: "string",
    valueHint: "n",
    description: "Requests a second of one address; default: the service's",
  },
} as const satisfies ArgsDef;

type Flag = keyof typeof SOURCE_FLAGS;
export type GivenFlags = Partial<Record<Flag, string | undefined>>;

function wholeNumber(flag: Flag, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`--${flag} must be a whole number, and is ${JSON.stringify(text)}.`);
}

const numberOr = (flag: Flag, text: string, nothing: string): number | null =>
  text === nothing ? null : wholeNumber(flag, text);

function goalOf(text: string): { name: string; event?: string; path?: string } {
  const [, name, kind, value] = /^(.+)=(event|path):(.+)$/s.exec(text) ?? [];
  if (name === undefined || kind === undefined || value === undefined)
    throw new UsageError(
      `--goal must be Name=event:… or Name=path:/…, and is ${JSON.stringify(text)}; \`--goal none\` takes all off.`,
    );
  return kind === "event" ? { name, event: value } : { name, path: value };
}

/** Without those that were not given. */
const supplied = (members: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
const group = (name: string, members: Record<string, unknown>): Record<string, unknown> => {
  const given = supplied(members);
  return Object.keys(given).length === 0 ? {} : { [name]: given };
};

/**
 * The body of a PATCH, but for the workspace.
 * @param raw the words of the command line, in which a flag may stand more than once
 */
export function changeOf(given: GivenFlags, raw: readonly string[], args: ArgsDef): Record<string, unknown> {
  const list = <T>(flag: Flag, read: (text: string) => T): T[] | undefined => {
    const values = valuesOf(raw, args, flag);
    if (values.length === 0) return undefined;
    return values.length === 1 && values[0] === NONE ? [] : values.map(read);
  };
  const isOn = (flag: Flag) => (given[flag] === undefined ? undefined : given[flag] === "on");
  const number = (flag: Flag, nothing: string) => {
    const text = given[flag];
    return text === undefined ? undefined : numberOr(flag, text, nothing);
  };
  const origins = valuesOf(raw, args, "origin");
  return {
    ...supplied({
      name: given.name,
      slug: given.slug,
      allowedOrigins: origins.length === 0 ? undefined : origins,
      frameworkHint: given.framework,
      isActive: isOn("active"),
      requireOrigin: isOn("require-origin"),
      goals: list("goal", goalOf),
      bots: given.bots,
      excludedPaths: list("exclude-path", (text) => text),
      retentionDays: number("retention-days", NONE),
    }),
    ...group("privacy", { respectGpc: isOn("respect-gpc"), requireConsent: isOn("require-consent") }),
    ...group("limits", {
      maxBatchSize: number("max-batch-size", DEFAULT),
      maxPayloadBytes: number("max-payload-bytes", DEFAULT),
      clientRatePerSecond: number("client-rate-per-second", DEFAULT),
    }),
  };
}

const onOff = (on: boolean) => (on ? "on" : "off");

/** A source for people. */
export const described = (source: Source): string =>
  fields([
    ["id", source.sourceId],
    ["name", source.name],
    ["slug", source.slug],
    ["public key", source.publicKey],
    ["origins", source.allowedOrigins.join(", ")],
    ["framework", source.frameworkHint],
    ["active", onOff(source.isActive)],
    ["require origin", onOff(source.requireOrigin)],
    ["respect GPC", onOff(source.privacy.respectGpc)],
    ["require consent", onOff(source.privacy.requireConsent)],
    ["goals", source.goals.map(({ name, event, path }) => `${name} (${event ?? path})`).join(", ")],
    ["bots", source.bots],
    ["excluded paths", source.excludedPaths.join(", ")],
    ["retention", source.retentionDays === null ? "for ever" : `${source.retentionDays} days`],
    ["batch size", source.limits.maxBatchSize ?? DEFAULT],
    ["payload bytes", source.limits.maxPayloadBytes ?? DEFAULT],
    ["client rate", source.limits.clientRatePerSecond ?? DEFAULT],
  ]);
