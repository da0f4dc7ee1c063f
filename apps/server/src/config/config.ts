/** Every setting in one table, and the only reader of the environment. `NAME_FILE` names a file that holds the value. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { LIMITS } from "@headwater/contract";
import { parseTrust, type Trust } from "../core/client-address.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { conflictOf } from "./rules.ts";
import {
  clickhouseUrl,
  clusterName,
  databaseUrl,
  headerName,
  identifier,
  integer,
  mmdbFile,
  oneOf,
  ownerToken,
  sitePath,
  text,
  textOrNull,
  webAddress,
  webhookSecret,
  webhookUrl,
} from "./values.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting has a value that cannot be used. The process ends with code 78 and this sentence. */
export class ConfigError extends Error {}

interface Setting<T> {
  /** As the operator writes it; empty: none. */
  default: string;
  help: string;
  secret?: true;
  /** It says where something lies on the machine: shown there, and to nobody who is elsewhere. */
  path?: true;
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

const path = <T>(text: string, help: string, parse: (text: string) => T): Setting<T> => ({
  ...setting(text, help, parse),
  path: true,
});

const rate = (most: number) => integer(1, most);

export const SETTINGS = {
  HOST: setting("127.0.0.1", "Address to listen on; 0.0.0.0 for every interface", text),
  PORT: setting(8790, "Port to listen on; 0 for any free one", integer(0, 65_535)),
  DATA_DIR: path("./data", "Folder of the ledger", (value) => resolve(value)),
  DATABASE_URL: secret(
    "PostgreSQL (14 or later) that holds the ledger instead of DATA_DIR, so that several nodes may share it",
    databaseUrl,
  ),
  WAREHOUSE: setting(
    "",
    "embedded: ClickHouse's engine in DATA_DIR/warehouse; off: none. Default: embedded, and off with DATABASE_URL; CLICKHOUSE_URL names another",
    oneOf("", "embedded", "off"),
  ),
  CLICKHOUSE_URL: secret(
    "ClickHouse server that accepted events are shipped to: https://user:password@host:8443/database",
    clickhouseUrl,
  ),
  CLICKHOUSE_CLUSTER: setting(
    "",
    "Name of the cluster (remote_servers) on whose shards and replicas the tables are; default: on the one server",
    clusterName,
  ),
  WAREHOUSE_MEMORY_BYTES: setting(
    1_073_741_824,
    "Bytes of memory that the embedded warehouse may use; a question may use half",
    integer(268_435_456, 1e12),
  ),
  WAREHOUSE_THREADS: setting(2, "Threads that a question to the embedded warehouse may use", integer(1, 64)),
  RETENTION_DAYS: setting(
    30,
    "Days that accepted events are kept in the ledger where there is no warehouse",
    integer(1, 3_650),
  ),
  AUDIT_RETENTION_DAYS: setting(
    730,
    "Days that the audit log is kept, and tokens that were revoked or have expired",
    integer(1, 3_650),
  ),
  WORKERS: setting(
    1,
    "Processes that serve on this machine; more than one needs DATABASE_URL",
    integer(1, 64),
  ),
  BASE_URL: setting(
    "",
    "Public address of this service, as applications reach it; default http://HOST:PORT",
    webAddress,
  ),
  APP_URL: setting("", "Address of the console; default BASE_URL", webAddress),
  INGEST_ALIAS: setting(
    "",
    "A path, such as /hw, under which the browser client and ingest are served too; default: none",
    sitePath,
  ),
  ORGANIZATION_ID: setting("org_default", "Id of the workspace that a first start makes", identifier),
  OWNER_TOKEN: secret(
    "The owner's token on an empty ledger; default: a random one, printed once",
    ownerToken,
  ),
  AUTH_JWKS_URL: setting("", "Keys of an identity provider whose JWTs are bearer tokens too", webAddress),
  AUTH_ISSUER: setting("", "The issuer (iss) of those JWTs", textOrNull),
  AUTH_AUDIENCE: setting("", "The audience (aud) of those JWTs", textOrNull),
  ALERT_WEBHOOK_URL: secret(
    "Address that is told when a source starts failing, goes quiet, or receives again; default: none",
    webhookUrl,
  ),
  ALERT_WEBHOOK_SECRET: secret("What those alerts are signed with: 16 or more characters", webhookSecret),
  ALERT_QUIET_HOURS: setting(
    24,
    "Hours without an event or a bootstrap after which a source that had some is called quiet; 0: never",
    integer(0, 8_760),
  ),
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
  GEOIP_FILE: path(
    "",
    "MMDB file with countries; default: the CC0 one that comes along; `off` for none",
    mmdbFile,
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
    SERVER_LIMITS.ingestInFlight,
    "Ingest requests at work at once; more are answered 503",
    integer(1, 100_000),
  ),
  DEBUG_STORE_BYTES: setting(
    SERVER_LIMITS.attemptStoreBytes,
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

/** Stands for a value that is not shown. */
const SET = "(set)";

export type SettingName = keyof typeof SETTINGS;
type Values = { [N in SettingName]: ReturnType<(typeof SETTINGS)[N]["parse"]> };

/** The settings as values. `BASE_URL` and `APP_URL` may still be open: they follow the port that is listened on. */
export type Config = Values;
export type { Trust };

/** What is set to nothing is not set: compose files and unit files leave empty variables behind. */
function given(name: string, environment: Environment): string | null {
  const file = environment[`${name}_FILE`] || null;
  const value = environment[name] || null;
  if (file === null) return value;
  if (value !== null) throw new ConfigError(`Set ${name} or ${name}_FILE, not both.`);
  try {
    return readFileSync(file, "utf8").trim() || null;
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
  const value = given(name, environment) ?? otherwise;
  try {
    return parse(value);
  } catch (error) {
    const mayBeShown = !hidden && !URL.parse(value)?.password;
    const shown = mayBeShown ? JSON.stringify(value) : "the given value";
    throw new ConfigError(`${name} cannot be ${shown}: it ${(error as Error).message}.`);
  }
}

/** @throws ConfigError with a sentence that names the setting */
export function readConfig(environment: Environment): Config {
  const entries = Object.entries(SETTINGS).map(([name, one]) => [
    name,
    readSetting(name, one as Setting<unknown>, environment),
  ]);
  const config = Object.fromEntries(entries) as Config;
  const conflict = conflictOf(config);
  if (conflict !== null) throw new ConfigError(conflict);
  return config;
}

/** The environment of this process. */
export const processEnvironment = (): Environment => process.env;

/** Each setting as text, without secrets: for `headwater config`. */
export function describeSettings(environment: Environment) {
  return Object.entries(SETTINGS as Record<string, Setting<unknown>>).map(([name, one]) => {
    const value = given(name, environment);
    const shown = value !== null && one.secret ? SET : (value ?? one.default);
    return { name, value: shown, default: one.default, help: one.help, changed: value !== null };
  });
}

/** Each setting as text for those who are not on the machine: without secrets, and without its paths. */
export function publicSettings(environment: Environment): Record<string, string> {
  const shown = describeSettings(environment).map(({ name, value, changed }) => {
    const { path: isPath } = SETTINGS[name as SettingName] as Setting<unknown>;
    return [name, changed && isPath ? SET : value];
  });
  return Object.fromEntries(shown);
}

/** As people on this machine reach what listens there: on every interface, it is by the machine's name for itself. */
export function localUrl(host: string, port: number): string {
  const everywhere = host === "0.0.0.0" || host === "::";
  const name = everywhere ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
