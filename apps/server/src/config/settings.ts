/** The settings, in one table, and the type of their values. */
import { resolve } from "node:path";
import { LIMITS } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { parseTrust } from "./trust.ts";
import {
  addressesFile,
  clickhouseUrl,
  clusterName,
  databaseUrl,
  headerName,
  hostsFile,
  identifier,
  integer,
  limitOrNone,
  mailSender,
  mmdbFile,
  oneOf,
  ownerToken,
  securityContact,
  sitePath,
  smtpUrl,
  sourcesFile,
  text,
  textOrNull,
  webAddress,
  webhookSecret,
  webhookUrl,
  webOrigins,
} from "./values.ts";

const MAX_INGEST_IN_FLIGHT = 512;

/** To add a setting, add a row to `SETTINGS`; rules that concern several settings are in `rules.ts`. */
export interface Setting<T> {
  /** As the operator would write it; empty for none. */
  default: string;
  help: string;
  /** Never shown. */
  secret?: true;
  /** A path on this machine: shown by commands, but not through the API. */
  path?: true;
  /** @throws Error whose message completes `PORT cannot be "x": it …`, for example `must be a whole number` */
  parse(text: string): T;
}

const setting = <T>(defaultValue: string | number, help: string, parse: (text: string) => T): Setting<T> => ({
  default: String(defaultValue),
  help,
  parse,
});
const optional = <T>(help: string, parse: (text: string) => T) => setting("", help, parse);
const secret = <T>(help: string, parse: (text: string) => T): Setting<T> => ({
  ...optional(help, parse),
  secret: true,
});
const path = <T>(defaultValue: string, help: string, parse: (text: string) => T): Setting<T> => ({
  ...setting(defaultValue, help, parse),
  path: true,
});

const file = <T>(help: string, parse: (text: string) => T) => path("", help, parse);
const days = (defaultValue: number, help: string) => setting(defaultValue, help, integer(1, 3_650));
const rate = (defaultValue: number, help: string) => setting(defaultValue, help, integer(1, 1_000_000));
const dailyQuota = (help: string) => setting(0, help, limitOrNone(LIMITS.maxDailyQuota));
const onOff = (defaultValue: "on" | "off", help: string) => setting(defaultValue, help, oneOf("on", "off"));

export const SETTINGS = {
  HOST: setting("127.0.0.1", "Address to listen on; 0.0.0.0 for all interfaces", text),
  PORT: setting(8790, "Port to listen on; 0 for any free port", integer(0, 65_535)),
  DATA_DIR: path("./data", "Folder for the ledger and the embedded warehouse", (value) => resolve(value)),
  DATABASE_URL: secret(
    "PostgreSQL 14 or later for the ledger, instead of DATA_DIR; several nodes can share it",
    databaseUrl,
  ),
  WAREHOUSE: optional(
    "embedded: run ClickHouse's engine in DATA_DIR/warehouse; off: none. Default: embedded; off with DATABASE_URL. Leave empty with CLICKHOUSE_URL",
    oneOf("", "embedded", "off"),
  ),
  CLICKHOUSE_URL: secret(
    "ClickHouse server to use as the warehouse: https://user:password@host:8443/database",
    clickhouseUrl,
  ),
  CLICKHOUSE_CLUSTER: optional(
    "Name of the ClickHouse cluster (in remote_servers) that holds the tables; default: none, a single server",
    clusterName,
  ),
  WAREHOUSE_MEMORY_BYTES: setting(
    1_073_741_824,
    "Memory limit of the embedded warehouse, in bytes; one query can use half of it",
    integer(268_435_456, 1e12),
  ),
  WAREHOUSE_THREADS: setting(2, "Threads per query of the embedded warehouse", integer(1, 64)),
  RETENTION_DAYS: days(30, "Days to keep accepted events in the ledger when there is no warehouse"),
  AUDIT_RETENTION_DAYS: days(730, "Days to keep the audit log, and revoked and expired tokens"),
  BASE_URL: optional("Public address of this service; default: http://HOST:PORT", webAddress),
  APP_URL: optional("Public address of the console; default: BASE_URL", webAddress),
  INGEST_ALIAS: optional(
    "Additional path for the browser client and ingest, such as /hw; default: none",
    sitePath,
  ),
  ORGANIZATION_ID: setting(
    "org_default",
    "Id of the workspace that the first start creates. Its owners are the operators",
    identifier,
  ),
  WORKSPACE_CREATION: setting(
    "members",
    "Who can create workspaces through the API: anyone who can authenticate, members of a workspace, or operators",
    oneOf("anyone", "members", "operators"),
  ),
  OWNER_TOKEN: secret(
    "Owner's token, used only by the first start; default: none; the first start with serve --json makes a random one and prints it",
    ownerToken,
  ),
  AUTH_JWKS_URL: optional(
    "Address of an identity provider's keys (JWKS); its JWTs are then accepted as bearer tokens",
    webAddress,
  ),
  AUTH_ISSUER: optional("Issuer (iss) that those JWTs must have", textOrNull),
  AUTH_AUDIENCE: optional("Audience (aud) that those JWTs must have", textOrNull),
  OIDC_ISSUER: optional(
    "OpenID Connect provider that people sign in to the console with, such as https://login.example.com",
    webAddress,
  ),
  OIDC_CLIENT_ID: optional("Client id at that provider", textOrNull),
  OIDC_CLIENT_SECRET: secret("Client secret at that provider; default: none, a public client", textOrNull),
  OIDC_NAME: setting("single sign-on", "Name of that provider on the console's sign-in button", text),
  SIGN_IN: setting(
    "any",
    "How people sign in to the console. any: every method; oidc: only the OpenID Connect provider. Command-line sign-in always works",
    oneOf("any", "oidc"),
  ),
  CONSOLE_TOKEN_DAYS: days(30, "Days after which the console asks you to sign in again"),
  CONSOLE_IDLE_DAYS: days(14, "Days without a request after which a console session ends"),
  JWT_TOKEN_MAX_DAYS: days(90, "Maximum lifetime in days of access tokens created with such a JWT"),
  ALERT_WEBHOOK_URL: secret("Address to POST alerts about sources to; default: none", webhookUrl),
  ALERT_WEBHOOK_SECRET: secret("Key that signs those alerts; at least 16 characters", webhookSecret),
  ALERT_QUIET_HOURS: setting(
    24,
    "Hours without an event or bootstrap after which an active source counts as quiet; 0: never",
    integer(0, 8_760),
  ),
  ALERT_DELIVERY_PERCENT: setting(
    95,
    "Percentage of a day's events that must arrive; below it, delivery counts as low; 0: never",
    integer(0, 100),
  ),
  ALERT_STATEMENTS: onOff("off", "on: also POST daily statements to ALERT_WEBHOOK_URL"),
  SMTP_URL: secret(
    "Mail server for invitations, sign-in links and reports: smtp://user:password@host:587 (STARTTLS is required), or smtps:// for TLS from the start; default: none",
    smtpUrl,
  ),
  REPORT_WEBHOOK_ORIGINS: optional(
    "Origins besides https://hooks.slack.com whose webhooks can get reports, such as https://chat.example.com; separated by commas",
    webOrigins,
  ),
  MAIL_FROM: optional("Sender of those emails, such as Headwater <stats@example.com>", mailSender),
  SECURITY_CONTACT: optional(
    "Email or https:// address for security reports, published in /.well-known/security.txt; default: none",
    securityContact,
  ),
  TRUST_PROXY: optional(
    "Proxies whose X-Forwarded-For is trusted: a number of hops, or addresses and CIDR ranges",
    parseTrust,
  ),
  GEO_HEADER: optional(
    "Header in which a proxy listed in TRUST_PROXY sends the visitor's country code",
    headerName,
  ),
  GEOIP_FILE: file(
    "MMDB file for the visitor's country, and region and city if it has them; default: the included CC0 file of countries; off: none",
    mmdbFile,
  ),
  DATA_CENTRES_FILE: file(
    "Text file with one IP address or CIDR range per line; visitors from them count as bots; default: none",
    addressesFile,
  ),
  REFERRER_SPAM_FILE: file(
    "Text file with one host name per line; visits from them and their subdomains count as bots; default: none",
    hostsFile,
  ),
  SOURCES_FILE: file(
    'JSON file such as {"example.com": {"source": "Example", "medium": "search"}}, whose hosts win over the built-in lists of sources; default: none',
    sourcesFile,
  ),
  LOG_LEVEL: setting(
    "info",
    "Log level: debug, info, warn, error or silent",
    oneOf("debug", "info", "warn", "error", "silent"),
  ),
  ACCESS_LOG: onOff("off", "on: log every request, with a shortened client address, at any LOG_LEVEL"),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    "OpenTelemetry collector (OTLP over HTTP) that gets a span for each request, such as http://127.0.0.1:4318; default: none",
    webAddress,
  ),
  MAX_BATCH_SIZE: setting(
    LIMITS.maxBatchSize,
    "Maximum events per batch",
    integer(1, LIMITS.maxBatchSizeCeiling),
  ),
  MAX_PAYLOAD_BYTES: setting(
    LIMITS.maxPayloadBytes,
    "Maximum bytes of a request body, after decompression",
    integer(1_024, LIMITS.maxPayloadBytesCeiling),
  ),
  CLIENT_RATE_PER_SECOND: rate(
    LIMITS.clientRatePerSecond,
    "Requests per second from one client address to one source; also for public documents and /metrics",
  ),
  CLIENT_RATE_BURST: rate(
    LIMITS.clientRateBurst,
    "Burst of requests from one client address to one source; also for public documents and /metrics",
  ),
  MAX_EVENT_BYTES: setting(
    LIMITS.maxEventBytes,
    "Maximum bytes of one event",
    integer(1_024, LIMITS.maxPayloadBytesCeiling),
  ),
  SOURCE_RATE_PER_SECOND: rate(LIMITS.sourceRatePerSecond, "Requests per second to one source"),
  SOURCE_RATE_BURST: rate(LIMITS.sourceRateBurst, "Burst of requests to one source"),
  UNKNOWN_KEY_RATE_PER_SECOND: rate(
    LIMITS.unknownKeyRatePerSecond,
    "Requests per second with unknown keys from one client address",
  ),
  WORKSPACE_RATE_PER_SECOND: rate(
    LIMITS.workspaceRatePerSecond,
    "Workspace API requests per second with one token",
  ),
  WORKSPACE_RATE_BURST: rate(LIMITS.workspaceRateBurst, "Burst of workspace API requests with one token"),
  CLIENT_BYTES_PER_SECOND: setting(
    0,
    "Bytes of bodies, decompressed, that one client address can send to ingest per second; 0: no limit",
    limitOrNone(1e12),
  ),
  SOURCE_EVENTS_PER_DAY: dailyQuota("Events that a source can store per UTC day; 0: no limit"),
  SOURCE_BYTES_PER_DAY: dailyQuota(
    "Bytes of bodies, decompressed, that a source can store per UTC day; 0: no limit",
  ),
  WORKSPACE_EVENTS_PER_DAY: dailyQuota(
    "Events that all sources of a workspace can store per UTC day; 0: no limit",
  ),
  WORKSPACE_BYTES_PER_DAY: dailyQuota(
    "Bytes of bodies, decompressed, that all sources of a workspace can store per UTC day; 0: no limit",
  ),
  FAILED_AUTH_PER_MINUTE: rate(
    LIMITS.failedAuthPerMinute,
    "Failed authentications per minute from one client address",
  ),
  INGEST_IN_FLIGHT: setting(
    MAX_INGEST_IN_FLIGHT,
    "Maximum ingest requests running or waiting at once; further requests get 503",
    integer(1, 100_000),
  ),
  DEBUG_STORE_BYTES: setting(
    SERVER_LIMITS.attemptStoreBytes,
    "Maximum bytes of debug history, all sources together",
    integer(1_048_576, 1e12),
  ),
  QUARANTINE_BYTES: setting(
    SERVER_LIMITS.quarantineBytes,
    "Maximum bytes of kept events, all sources together; the oldest are deleted first",
    integer(1_048_576, 1e12),
  ),
  DEBUG_RECORDING: onOff("on", "Whether attempts are recorded for the debug view: on or off"),
  DISK_LOW_WATER_BYTES: setting(
    268_435_456,
    "Free bytes on the disk of DATA_DIR below which events are refused",
    integer(0, 1e15),
  ),
} as const;

export type SettingName = keyof typeof SETTINGS;

/**
 * The settings as values. An empty BASE_URL or APP_URL is null here; its default is computed once the listening port is
 * known.
 */
export type Config = { [N in SettingName]: ReturnType<(typeof SETTINGS)[N]["parse"]> };
