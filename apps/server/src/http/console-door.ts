/**
 * The console (packages/contract `CONSOLE_PAGES`), as static files that were built beforehand. Every page is the same
 * document; what it loads has its content's hash in its name and is kept for ever.
 */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { CONSOLE_PAGES } from "@headwater/contract";
import { requestIdOf } from "./request-id.ts";

/** Where the console's document asks for its files, and their folder in what was built. */
const ASSETS = "console";
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
/** Encodings that files were compressed with beforehand, the best one first. */
const ENCODINGS = [
  { name: "br", suffix: ".br" },
  { name: "gzip", suffix: ".gz" },
] as const;
const FOREVER = "public, max-age=31536000, immutable";

export interface ConsoleDoorParts {
  /** What `apps/console/build.js` has built. */
  readonly folder: string;
  /** Its path is where a proxy shows the console; asked for at each request, since it may follow the port. */
  readonly appUrl: () => string;
  readonly newId: (prefix: string) => string;
}

/** Nothing from other hosts, no inline script, and only the style elements that carry this answer's nonce. */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const COMMON = { "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer" };

/** A URL's path holds neither quotes nor angle brackets. */
function basePathOf(appUrl: string): string {
  const path = (URL.parse(appUrl)?.pathname ?? "/").replaceAll("&", "&amp;");
  return path.endsWith("/") ? path : `${path}/`;
}

function encodingFor({ headers }: IncomingMessage, isPresent: (suffix: string) => boolean) {
  const accepted = String(headers["accept-encoding"] ?? "")
    .split(",")
    .map((one) => one.trim().toLowerCase())
    .filter((one) => !/;\s*q=0(?:\.0*)?$/.test(one))
    .map((one) => one.split(";", 1)[0]);
  return ENCODINGS.find(({ name, suffix }) => accepted.includes(name) && isPresent(suffix));
}

/** @returns a listener that takes what is the console's and says false to everything else */
export function createConsoleDoor({ folder, appUrl, newId }: ConsoleDoorParts) {
  const template = readFileSync(join(folder, "index.html"), "utf8");
  const files = new Set(readdirSync(join(folder, ASSETS)));
  const pages = new Set<string>(CONSOLE_PAGES);

  function sendPage(response: ServerResponse): void {
    const nonce = randomBytes(16).toString("base64");
    const html = template
      .replace('<base href="/"', () => `<base href="${basePathOf(appUrl())}"`)
      .replaceAll("__NONCE__", nonce);
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.setHeader("Content-Security-Policy", policy(nonce));
    response.setHeader("Cache-Control", "no-cache");
    response.end(html);
  }

  async function sendFile(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const encoding = encodingFor(request, (suffix) => files.has(name + suffix));
    const bytes = await readFile(join(folder, ASSETS, name + (encoding?.suffix ?? ""))).catch(() => null);
    if (bytes === null) {
      // built anew since: the next load of the page asks for the new names
      response.writeHead(404).end();
      return;
    }
    response.setHeader("Content-Type", MEDIA_TYPES[extname(name)]!);
    response.setHeader("Cache-Control", FOREVER);
    response.setHeader("Vary", "Accept-Encoding");
    if (encoding) response.setHeader("Content-Encoding", encoding.name);
    response.end(bytes);
  }

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.method !== "GET" && request.method !== "HEAD") return false;
    const path = (request.url ?? "").split("?", 1)[0]!;
    const name = path.startsWith(`/${ASSETS}/`) ? path.slice(ASSETS.length + 2) : null;
    const isFile = name !== null && files.has(name) && extname(name) in MEDIA_TYPES;
    if (!isFile && !pages.has(path)) return false;
    for (const [header, value] of Object.entries(COMMON)) response.setHeader(header, value);
    response.setHeader(
      "X-Request-Id",
      requestIdOf(request.headers["x-request-id"], () => newId("req")),
    );
    if (isFile) void sendFile(name, request, response);
    else sendPage(response);
    return true;
  };
}
