/** From the text of a setting to its value; each throws what the setting must be, after the words "it …". */
import { readFileSync } from "node:fs";
import { LIMITS, SITE_PATH } from "@headwater/contract";
import { isPlausibleToken, TOKEN_PREFIX } from "../core/token.ts";

export const text = (value: string) => value;
export const textOrNull = (value: string) => (value === "" ? null : value);

export function integer(least: number, most: number) {
  return (value: string): number => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < least || number > most)
      throw new Error(`must be a whole number from ${least} to ${most}`);
    return number;
  };
}

export function oneOf<const V extends readonly string[]>(...values: V) {
  return (value: string): V[number] => {
    const named = values.filter((one) => one !== "").join(", ");
    if (!values.includes(value)) throw new Error(`must be one of ${named}`);
    return value;
  };
}

/** An http(s) address without a trailing slash; null when it is empty. */
export function webAddress(value: string): string | null {
  if (value === "") return null;
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
}

/** A path of a site without a slash at its end; null when it is empty. */
export function sitePath(value: string): string | null {
  if (value === "") return null;
  const path = value.replace(/\/+$/, "");
  if (path.length > LIMITS.maxSitePathLength || !new RegExp(SITE_PATH).test(path)) {
    throw new Error("must be a path of letters, digits, _, ~, . and -, for example /hw");
  }
  return path;
}

/** What every MMDB file has before its metadata (MaxMind DB format, "Metadata"). */
const MMDB_MARK = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");

function isMmdb(file: string): boolean {
  try {
    return readFileSync(file).includes(MMDB_MARK);
  } catch {
    return false;
  }
}

/** The name of an MMDB file; `off` is kept, null is the default. */
export function mmdbFile(value: string): string | null {
  if (value !== "" && value !== "off" && !isMmdb(value))
    throw new Error("must name an MMDB file that can be read, or be off");
  return textOrNull(value);
}

export function identifier(value: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(value)) throw new Error("must be 1 to 100 letters, digits, _ or -");
  return value;
}

export function ownerToken(value: string): string | null {
  if (value === "") return null;
  if (!/^[\x21-\x7e]{32,256}$/.test(value)) {
    throw new Error("must be 32 to 256 visible ASCII characters; `headwater token generate` makes one");
  }
  if (!isPlausibleToken(value)) {
    throw new Error(
      `starts with ${TOKEN_PREFIX} and its checksum is wrong, so that it would open nothing: copy the whole token anew, or make one with \`headwater token generate\``,
    );
  }
  return value;
}

/** It may hold a secret in its path or query, so it is shown to nobody. */
export function webhookUrl(value: string): string | null {
  if (value === "") return null;
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new Error("must be an http or https address without credentials");
  return url.href;
}

export function webhookSecret(value: string): string | null {
  if (value === "") return null;
  if (value.length < 16) throw new Error("must have 16 characters or more");
  return value;
}

export function headerName(value: string): string | null {
  if (value === "") return null;
  if (!/^[A-Za-z0-9-]{1,64}$/.test(value)) throw new Error("must be the name of a header");
  return value.toLowerCase();
}

/** The password stays in it, so it is shown to nobody. */
export function databaseUrl(value: string): string | null {
  if (value === "") return null;
  if (!/^postgres(?:ql)?:\/\/./.test(value))
    throw new Error("must be an address such as postgres://user:password@host:5432/database");
  return value;
}

/** A cluster of ClickHouse's, as its configuration names it. */
export function clusterName(value: string): string | null {
  if (value === "") return null;
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(value))
    throw new Error("must be 1 to 100 letters, digits, _, . or -");
  return value;
}

const HTTP_PORT = 8123;
const DATABASE = "headwater";

/** A ClickHouse endpoint; the user, the password and the database (default `headwater`) stand in its address. */
export function clickhouseUrl(value: string) {
  if (value === "") return null;
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
  const [username, password] = [
    decodeURIComponent(url.username) || "default",
    decodeURIComponent(url.password),
  ];
  return { url: url.origin, username, password, database };
}
