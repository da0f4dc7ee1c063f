/**
 * The addresses that people type for a website, as allowed origins: `example.com`, `localhost:3000` and
 * `HTTPS://Example.com/path?x` are understood. No correction allows more than what was typed.
 */
import type { Issue } from "../issues.ts";
import { normalizeOrigin } from "../origin.ts";

/** Hosts that have no certificate: a machine of one's own, or one in a private network. */
const LOCAL =
  /^(?:localhost|[^.]+|.*\.(?:localhost|local|internal|test)|127\.[\d.]+|10\.[\d.]+|192\.168\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|\[.*\])$/;
const WILDCARD = "*.";

/** Repairs `*example.com` and `a.*.example.com` to `*.example.com`: only whole labels at the start can be a star. */
function repairedHost(host: string): string {
  const tail = host.replace(/\.+$/, "").split("*").at(-1)!.replace(/^\.+/, "");
  return host.includes("*") ? WILDCARD + tail : tail;
}

/** The origin that a user probably meant: without path, query and credentials, and with a scheme. */
export function suggestOrigin(text: string): string | null {
  const cleaned = text.trim().toLowerCase().replaceAll("\\", "/");
  const [, givenScheme, rest = ""] =
    /^(?:(https?|[a-z][a-z0-9+.-]*(?=:\/)|\*(?=:)):)?\/*(.*)$/.exec(cleaned) ?? [];
  const authority = rest.split(/[/?#]/, 1)[0]!.split("@").at(-1)!;
  const [, host = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}|\*)?.*)?$/.exec(authority) ?? [];
  if (host === "*") return "*";
  if (host === "" || host.endsWith("*")) return null;
  const repaired = repairedHost(host);
  const isPlain = LOCAL.test(repaired) || port === "80";
  const scheme = givenScheme && givenScheme !== "*" ? givenScheme : isPlain ? "http" : "https";
  return normalizeOrigin(`${scheme}://${repaired}${port ? `:${port}` : ""}`);
}

/** What copying and pasting leaves around an address: quotes, brackets and characters that nobody sees. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/g;
const AROUND = /^["'`“”‘’«<(]+|["'`“”‘’»>),;]+$/g;
/** `http://` and `https://` with a slip: `https//`, `htp://`, `http:\\`, `https:///`. */
const WEB_SCHEME = /^(?:h*t+p+|htt)(s*)[:;]?[/\\]{2,}/i;

function tidy(text: string): string {
  const bare = text
    .replace(INVISIBLE, "")
    .replace(/[。．｡]/g, ".")
    .trim()
    .replace(AROUND, "")
    .trim();
  const inner = bare.replace(/^(?:https?:\/+)+(?=https?:\/)/i, "");
  return inner.replace(WEB_SCHEME, (_, secure: string) => (secure === "" ? "http://" : "https://"));
}

const NOT_A_HOST = "its host name is not valid";
const NO_WEB_PAGE = /^(?:mailto|javascript|tel|about|data|blob|view-source):/i;
const FILE_PATH = /^(?:[a-z]:[\\/]|\/(?!\/)|~\/|\.{1,2}\/)/i;

/** Why a port or a pattern of `host[:port]` cannot be understood. null: nothing is wrong with them. */
function hostProblem(hostAndPort: string): string | null {
  const [, host = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(hostAndPort) ?? [];
  if (host === "") return "it has no host name";
  if (port && port !== "*" && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535))
    return "its port is not a number up to 65535";
  if (host.replace(/^\*\./, "").includes("*"))
    return "* can only stand for subdomains (https://*.example.com) or for ports (http://localhost:*)";
  return null;
}

/** Why an address that is no origin cannot be corrected. null: it can. The reason never repeats a part of it. */
function problemOf(text: string): string | null {
  if (text === "") return "it is empty";
  if (text.toLowerCase() === "null") return "only * allows pages whose origin is null";
  if (FILE_PATH.test(text)) return "it is a file path";
  if (NO_WEB_PAGE.test(text)) return "it is not the address of a website";
  if (/\s/.test(text)) return "it has a space; each entry is one address";
  const [, scheme, rest = ""] =
    /^(?:(https?|[a-z][a-z0-9+.-]*(?=:\/)|\*(?=:)):)?\/*(.*)$/i.exec(text.replaceAll("\\", "/")) ?? [];
  const authority = rest.split(/[/?#]/, 1)[0]!;
  if (/[,;|]/.test(authority)) return "it has a comma, semicolon or bar; each entry is one address";
  if (scheme === undefined && authority.includes("@")) return "it is an email address";
  if (scheme === "*") return "write http:// or https:// instead of *://";
  const hostAndPort = authority.split("@").at(-1)!;
  const isWord = /^[^.:[\]*]+$/.test(hostAndPort) && hostAndPort.toLowerCase() !== "localhost";
  if (scheme === undefined && isWord)
    return "it has no ending such as .com; a host of your own network needs http:// in front";
  return hostProblem(hostAndPort);
}

export interface SiteAddress {
  /** null: the text cannot be understood. */
  readonly origin: string | null;
  /** Why it cannot be understood, as the end of a sentence. */
  readonly problem: string | null;
  /** What was perhaps meant instead; null: nothing comes to mind. */
  readonly meant: string | null;
}

const understood = (origin: string): SiteAddress => {
  const undotted = origin.replace(/(?<=[^/])\.(?=:|$)/, "");
  return { origin, problem: null, meant: undotted === origin ? null : undotted };
};

/** The origin of an address that somebody typed or pasted, or why there is none. */
export function readSiteAddress(text: string): SiteAddress {
  const tidied = tidy(text);
  const origin = normalizeOrigin(tidied) ?? (/^file:/i.test(tidied) ? "file://" : null);
  if (origin !== null) return understood(origin);
  const problem = problemOf(tidied);
  const meant = suggestOrigin(tidied);
  if (problem === null && meant !== null) return understood(meant);
  const hasGuess = tidied.toLowerCase() !== "null" && !NO_WEB_PAGE.test(tidied) && !FILE_PATH.test(tidied);
  return { origin: null, problem: problem ?? NOT_A_HOST, meant: hasGuess ? meant : null };
}

/** The message does not repeat the value, which can contain a password. */
const issueOf = (field: string, index: number, { problem, meant }: SiteAddress): Issue => ({
  path: [field, index],
  code: "invalid_value",
  message: `${field}.${index} is not an origin (scheme://host[:port]): ${problem}${meant ? `; did you mean "${meant}"?` : ""}`,
});

/**
 * The normal forms without duplicates, and an issue for each entry that is not an origin.
 * @param field the member of the body that has the list
 */
export function readOrigins(
  texts: readonly string[],
  field = "allowedOrigins",
): { origins: string[]; issues: Issue[] } {
  const read = texts.map(readSiteAddress);
  const issues = read.flatMap((address, index) =>
    address.origin === null ? [issueOf(field, index, address)] : [],
  );
  return { origins: [...new Set(read.flatMap(({ origin }) => origin ?? []))], issues };
}
