/** Parsers of settings. Each throws an error whose message completes `PORT cannot be "x": it …`, such as `must be …`. */

import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { LIMITS, SITE_PATH } from "@headwater/contract";
import { createSourceLists } from "../channels/source-lists.ts";
import { type ContainsAddress, parseAddressRanges } from "../core/address-ranges.ts";
import { HEADWATER } from "../core/command-name.ts";
import { isPlausibleToken, TOKEN_PREFIX } from "../core/token.ts";

/** The maximum number of lines in DATA_CENTRES_FILE and in REFERRER_SPAM_FILE. The networks of all large clouds are about 40,000 ranges. */
const MAX_LIST_FILE_LINES = 200_000;

export const text = (value: string) => value;

/** Without a text the setting has no value. */
const optional =
  <T>(parse: (value: string) => T) =>
  (value: string): T | null =>
    value === "" ? null : parse(value);

export const textOrNull = optional(text);

/** @param problem says what the value must be */
const matching =
  (pattern: RegExp, problem: string) =>
  (value: string): string => {
    if (!pattern.test(value)) throw new Error(problem);
    return value;
  };

export function integer(min: number, max: number) {
  return (value: string): number => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max)
      throw new Error(`must be a whole number from ${min} to ${max}`);
    return number;
  };
}

/** A limit that 0 switches off. */
export const limitOrNone =
  (max: number) =>
  (value: string): number | null =>
    integer(0, max)(value) || null;

export function oneOf<const V extends readonly string[]>(...values: V) {
  return (value: string): V[number] => {
    const named = values.filter((one) => one !== "").join(", ");
    if (!values.includes(value)) throw new Error(`must be one of ${named}`);
    return value;
  };
}

/** An http or https address, without its trailing slash. */
export const webAddress = optional((value) => {
  const url = URL.parse(value);
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== "" ||
    url.hash !== "" ||
    url.username !== "" ||
    url.password !== ""
  ) {
    throw new Error(
      "must be an http or https address without query, fragment and credentials, for example https://hw.example.com",
    );
  }
  return url.href.replace(/\/+$/, "");
});

/** Origins, separated by commas. */
export const webOrigins = (value: string): readonly string[] =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => {
      const url = URL.parse(part);
      if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
        throw new Error("must list http or https origins, for example https://chat.example.com");
      return url.origin;
    });

/** A path without its trailing slash. */
export const sitePath = optional((value) => {
  const path = value.replace(/\/+$/, "");
  if (path.length > LIMITS.maxSitePathLength || !new RegExp(SITE_PATH).test(path)) {
    throw new Error("must be a path of letters, digits, _, ~, . and -, for example /hw");
  }
  return path;
});

/** Every MMDB file has these bytes before its metadata (MaxMind DB format, section "Metadata"). */
const MMDB_MARK = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");

/** The names of a country's code in a record: in the files of MaxMind and DB-IP, and in those of ip-location-db. */
const MMDB_COUNTRIES = ["\x48iso_code", "\x4ccountry_code"];

function readMmdb(file: string): Buffer | null {
  try {
    const content = readFileSync(file);
    return content.includes(MMDB_MARK) ? content : null;
  } catch {
    return null;
  }
}

/** The path of an MMDB file with countries, or `off`; null for the default. */
export function mmdbFile(value: string): string | null {
  if (value === "" || value === "off") return textOrNull(value);
  const content = readMmdb(value);
  if (content === null) throw new Error("must be the path of a readable MMDB file, or `off`");
  const hasRecords = content.indexOf(MMDB_MARK) > 0;
  if (hasRecords && !MMDB_COUNTRIES.some((name) => content.includes(name, 0, "latin1")))
    throw new Error(
      "must name a file of countries or cities, such as GeoLite2-Country.mmdb; this one has no `country.iso_code` and no `country_code`",
    );
  return value;
}

/** The lines of a text file, without comments (`#`) and empty lines. */
function readList(file: string): string[] {
  let content: string;
  try {
    content = readFileSync(file, "utf8");
  } catch {
    throw new Error("must be the path of a readable text file");
  }
  const lines = content
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "");
  if (lines.length > MAX_LIST_FILE_LINES) throw new Error(`must have at most ${MAX_LIST_FILE_LINES} lines`);
  return lines;
}

/** Whether an address is in a range of the file. */
export const addressesFile = optional((value): ContainsAddress => parseAddressRanges(readList(value)));

/** The host names of the file, in lower case. */
export const hostsFile = optional((value): ReadonlySet<string> => {
  const hosts = readList(value).map((line) => line.toLowerCase());
  const wrong = hosts.find((host) => URL.parse(`http://${host}`)?.pathname !== "/");
  if (wrong !== undefined) throw new Error(`must list host names; "${wrong}" is not one`);
  return new Set(hosts.map((host) => URL.parse(`http://${host}`)?.hostname ?? host));
});

/** The path of a list of sources. */
export const sourcesFile = optional((value) => {
  try {
    createSourceLists(value);
  } catch (error) {
    throw new Error(`must name a list of sources: ${error instanceof Error ? error.message : String(error)}`);
  }
  return value;
});

export const identifier = matching(/^[A-Za-z0-9_-]{1,100}$/, "must be 1 to 100 letters, digits, _ or -");

export const ownerToken = optional((value) => {
  if (!/^[\x21-\x7e]{32,256}$/.test(value)) {
    throw new Error(`must be 32 to 256 visible ASCII characters; \`${HEADWATER} token generate\` prints one`);
  }
  if (!isPlausibleToken(value)) {
    throw new Error(
      `starts with ${TOKEN_PREFIX} but has a wrong checksum. Copy the whole token again, or make one with \`${HEADWATER} token generate\``,
    );
  }
  return value;
});

/** Its path or query may contain a secret, so the setting is a secret. */
export const webhookUrl = optional((value) => {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new Error("must be an http or https address without credentials");
  return url.href;
});

export const webhookSecret = optional(matching(/^.{16,}$/s, "must have at least 16 characters"));

const header = matching(/^[A-Za-z0-9-]{1,64}$/, "must be a header name of letters, digits and -");
export const headerName = optional((value) => header(value).toLowerCase());

/** The address of a server with the user's password, so the setting is a secret. */
export const databaseUrl = optional(
  matching(
    /^postgres(?:ql)?:\/\/./,
    "must be an address such as postgres://user:password@host:5432/database",
  ),
);

/** A ClickHouse cluster's name in `remote_servers`. */
export const clusterName = optional(
  matching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/, "must be 1 to 100 letters, digits, _, . or -"),
);

const HTTP_PORT = 8123;
const SMTP_PORT = 587;
const SMTPS_PORT = 465;
const DATABASE = "headwater";

/** A ClickHouse address with user, password and database (default `headwater`). Port 8123 is the default of http. */
export const clickhouseUrl = optional((value) => {
  const url = URL.parse(value);
  const database = url?.pathname.slice(1) || DATABASE;
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== "" ||
    !/^[A-Za-z_][A-Za-z0-9_]*$/.test(database)
  )
    throw new Error("must be an address such as https://user:password@host:8443/database");
  if (url.port === "" && url.protocol === "http:") url.port = String(HTTP_PORT);
  const username = decodeURIComponent(url.username) || "default";
  return { url: url.origin, username, password: decodeURIComponent(url.password), database };
});

/** The parsed SMTP_URL. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** `start`: from the first byte (`smtps:`). `required`: by STARTTLS, or no mail is sent. `offered`: by STARTTLS where it is offered. */
  readonly tls: "start" | "required" | "offered" | "off";
  readonly login: { readonly user: string; readonly password: string } | null;
}

const isThisMachine = (host: string) =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

/** Mails and credentials leave this machine over TLS only, unless the operator says otherwise for a server without a login. */
function mailTls(url: URL, host: string): SmtpServer["tls"] {
  const isOff = url.search === "?tls=off";
  if (url.protocol === "smtps:") {
    if (isOff) throw new Error("must begin with smtp:// when it has ?tls=off");
    return "start";
  }
  if (isOff && url.username !== "" && !isThisMachine(host))
    throw new Error("must have no user and password with ?tls=off, which would send them unencrypted");
  if (isOff) return "off";
  return isThisMachine(host) ? "offered" : "required";
}

/** The mail server with the user's password, so the setting is a secret. */
export const smtpUrl = optional((value): SmtpServer => {
  const url = URL.parse(value);
  const isBare =
    url !== null && /^\/?$/.test(url.pathname) && /^(?:\?tls=off)?$/.test(url.search) && url.hash === "";
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === "" || !isBare)
    throw new Error("must be an address such as smtp://user:password@host:587");
  const login =
    url.username === ""
      ? null
      : { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  const tls = mailTls(url, host);
  return { host, port: Number(url.port) || (tls === "start" ? SMTPS_PORT : SMTP_PORT), tls, login };
});

const ADDRESS = String.raw`[^\s<>@,;:"\p{Cc}]+@[^\s<>@,;:"\p{Cc}]+`;
const MAIL_SENDER = new RegExp(`^(?:[^<>@,;"\\p{Cc}]+<${ADDRESS}>|${ADDRESS})$`, "u");

const CONTACT = /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s/]+\S*|tel:\+?[\d-]+)$/;

/** A contact of a security.txt, in the form of a URI. */
export const securityContact = optional((value) => {
  const contact = /^[^\s:/@]+@[^\s:/@]+$/.test(value) ? `mailto:${value}` : value;
  if (!CONTACT.test(contact))
    throw new Error("must be an email address such as security@example.com, or an https:// address");
  return contact;
});

/** An address, or a name with the address in angle brackets. */
export const mailSender = optional(
  matching(MAIL_SENDER, "must be an address such as stats@example.com, or Headwater <stats@example.com>"),
);
