/** Every setting in one table, and the only reader of the environment. `NAME_FILE` names a file that holds the value. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { LIMITS } from "@headwater/contract";
import { parseTrust, type Trust } from "./http/client-address.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting has a value that cannot be used. The process ends with code 78 and this sentence. */
export class ConfigError extends Error {}

interface Setting<T> {
  /** As the operator writes it; empty: none. */
  default: string;
  help: string;
  secret?: true;
  parse(text: string): T;
}

const setting = <T>(text: string | number, help: string, parse: (text: string) => T): Setting<T> => ({
  default: String(text),
  help,
  parse,
});
const secret = <T>(help: string, parse: (text: string) => T): Setting<T> => ({
  default: "",
  help,
  parse,
  secret: true,
});

const text = (value: string) => value;
const textOrNull = (value: string) => (value === "" ? null : value);

function integer(least: number, most: number) {
  return (value: string): number => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < least || number > most)
      throw new Error(`must be a whole number from ${least} to ${most}`);
    return number;
  };
}

function oneOf<const V extends readonly string[]>(...values: V) {
  return (value: string): V[number] => {
    if (!values.includes(value)) throw new Error(`must be one of ${values.join(", ")}`);
    return value;
  };
}

/** An http(s) address without a trailing slash; null when it is empty. */
function webAddress(value: string): string | null {
  if (value === "") return null;
  const url = URL.parse(value);
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== "" ||
    url.hash !== "" ||
    url.username !== ""
  ) {
    throw new Error(
      "must be an http or https address without query, fragment and credentials, for example https://stats.example.com",
    );
  }
  return url.href.replace(/\/+$/, "");
}

/** The name of a file that is there; `off` is kept, null is the default. */
function existingFile(value: string): string | null {
  if (value !== "" && value !== "off" && !existsSync(value))
    throw new Error("must name a file that exists, or be off");
  return textOrNull(value);
}

function identifier(value: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(value)) throw new Error("must be 1 to 100 letters, digits, _ or -");
  return value;
}

function ownerToken(value: string): string | null {
  if (value === "") return null;
  if (!/^[\x21-\x7e]{32,256}$/.test(value)) {
    throw new Error("must be 32 to 256 visible ASCII characters; `headwater token generate` makes one");
  }
  return value;
}

function headerName(value: string): string | null {
  if (value === "") return null;
  if (!/^[A-Za-z0-9-]{1,64}$/.test(value)) throw new Error("must be the name of a header");
  return value.toLowerCase();
}

const rate = (most: number) => integer(1, most);

export const SETTINGS = {
  HOST: setting("127.0.0.1", "Address to listen on; 0.0.0.0 for every interface", text),
  PORT: setting(8790, "Port to listen on; 0 for any free one", integer(0, 65_535)),
  DATA_DIR: setting("./data", "Folder of the ledger", (value) => resolve(value)),
  BASE_URL: setting(
    "",
    "Public address of this service, as applications reach it; default http://HOST:PORT",
    webAddress,
  ),
  APP_URL: setting("", "Address of the console; default BASE_URL", webAddress),
  ORGANIZATION_ID: setting("org_default", "Id of the workspace that a first start makes", identifier),
  OWNER_TOKEN: secret(
    "The owner's token on an empty ledger; default: a random one, printed once",
    ownerToken,
  ),
  AUTH_JWKS_URL: setting("", "Keys of an identity provider whose JWTs are bearer tokens too", webAddress),
  AUTH_ISSUER: setting("", "The issuer (iss) of those JWTs", textOrNull),
  AUTH_AUDIENCE: setting("", "The audience (aud) of those JWTs", textOrNull),
  TRUST_PROXY: setting(
    "",
    "Whose X-Forwarded-For is believed: a number of hops, or addresses and CIDR ranges",
    parseTrust,
  ),
  GEO_HEADER: setting(
    "",
    "Header with the visitor's country code, set by a proxy that TRUST_PROXY vouches for",
    headerName,
  ),
  GEOIP_FILE: setting(
    "",
    "MMDB file with countries; default: the CC0 one that comes along; `off` for none",
    existingFile,
  ),
  LOG_LEVEL: setting(
    "info",
    "debug, info, warn, error or silent",
    oneOf("debug", "info", "warn", "error", "silent"),
  ),
  MAX_BATCH_SIZE: setting(LIMITS.maxBatchSize, "Events in a batch", integer(1, LIMITS.maxBatchSizeCeiling)),
  MAX_PAYLOAD_BYTES: setting(
    LIMITS.maxPayloadBytes,
    "Bytes of a body, decompressed",
    integer(1_024, LIMITS.maxPayloadBytesCeiling),
  ),
  CLIENT_RATE_PER_SECOND: setting(
    LIMITS.clientRatePerSecond,
    "Requests a second of one address to one source",
    rate(1_000_000),
  ),
  CLIENT_RATE_BURST: setting(
    LIMITS.clientRateBurst,
    "Requests at once of one address to one source",
    rate(1_000_000),
  ),
  MAX_EVENT_BYTES: setting(
    LIMITS.maxEventBytes,
    "Bytes of one event",
    integer(1_024, LIMITS.maxPayloadBytesCeiling),
  ),
  SOURCE_RATE_PER_SECOND: setting(
    LIMITS.sourceRatePerSecond,
    "Requests a second to one source",
    rate(1_000_000),
  ),
  SOURCE_RATE_BURST: setting(LIMITS.sourceRateBurst, "Requests at once to one source", rate(1_000_000)),
  UNKNOWN_KEY_RATE_PER_SECOND: setting(
    LIMITS.unknownKeyRatePerSecond,
    "Requests a second with unknown keys of one address",
    rate(1_000_000),
  ),
  WORKSPACE_RATE_PER_SECOND: setting(
    LIMITS.workspaceRatePerSecond,
    "Workspace requests a second of one token",
    rate(1_000_000),
  ),
  WORKSPACE_RATE_BURST: setting(
    LIMITS.workspaceRateBurst,
    "Workspace requests at once of one token",
    rate(1_000_000),
  ),
  FAILED_AUTH_PER_MINUTE: setting(
    LIMITS.failedAuthPerMinute,
    "Failed authentications a minute of one address",
    rate(1_000_000),
  ),
  INGEST_IN_FLIGHT: setting(
    LIMITS.ingestInFlight,
    "Ingest requests at work at once; more are answered 503",
    integer(1, 100_000),
  ),
  DEBUG_STORE_BYTES: setting(
    LIMITS.attemptStoreBytes,
    "Bytes of debug history over all sources",
    integer(1_048_576, 1e12),
  ),
  DEBUG_RECORDING: setting(
    "on",
    "Whether attempts are recorded for the debug view: on or off",
    oneOf("on", "off"),
  ),
  DISK_LOW_WATER_BYTES: setting(
    268_435_456,
    "Free bytes on the disk of DATA_DIR below which nothing is accepted",
    integer(0, 1e15),
  ),
} as const;

export type SettingName = keyof typeof SETTINGS;
type Values = { [N in SettingName]: ReturnType<(typeof SETTINGS)[N]["parse"]> };

/** The settings as values. `BASE_URL` and `APP_URL` may still be open: they follow the port that is listened on. */
export type Config = Values;
export type { Trust };

function given(name: string, environment: Environment): string | null {
  const file = environment[`${name}_FILE`];
  const value = environment[name];
  if (file === undefined) return value ?? null;
  if (value !== undefined) throw new ConfigError(`Set ${name} or ${name}_FILE, not both.`);
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new ConfigError(
      `${name}_FILE names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
}

function readSetting<T>(
  name: string,
  { default: otherwise, parse, secret: hidden }: Setting<T>,
  environment: Environment,
): T {
  const value = given(name, environment) || otherwise;
  try {
    return parse(value);
  } catch (error) {
    const shown = hidden ? "the given value" : JSON.stringify(value);
    throw new ConfigError(`${name} cannot be ${shown}: it ${(error as Error).message}.`);
  }
}

function checkTogether(config: Config): void {
  const jwt = [config.AUTH_JWKS_URL, config.AUTH_ISSUER, config.AUTH_AUDIENCE];
  if (jwt.some((value) => value !== null) && jwt.some((value) => value === null)) {
    throw new ConfigError(
      "AUTH_JWKS_URL, AUTH_ISSUER and AUTH_AUDIENCE belong together: set all three or none.",
    );
  }
}

/** @throws ConfigError with a sentence that names the setting */
export function readConfig(environment: Environment): Config {
  const entries = Object.entries(SETTINGS).map(([name, one]) => [
    name,
    readSetting(name, one as Setting<unknown>, environment),
  ]);
  const config = Object.fromEntries(entries) as Config;
  checkTogether(config);
  return config;
}

/** The environment of this process. */
export const processEnvironment = (): Environment => process.env;

/** Each setting as text for `headwater config` and support, without secrets. */
export function describeSettings(environment: Environment) {
  return Object.entries(SETTINGS as Record<string, Setting<unknown>>).map(([name, one]) => {
    const value = given(name, environment);
    const shown = one.secret ? (value === null || value === "" ? "" : "(set)") : (value ?? one.default);
    return { name, value: shown, default: one.default, help: one.help, changed: value !== null };
  });
}
