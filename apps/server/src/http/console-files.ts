/**
 * The console (`CONSOLE_PAGES` of the contract) as static files that were built beforehand. All pages are the same HTML
 * document. The files that it loads have a content hash in their names, so browsers cache them forever.
 */
import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { extname, join } from "node:path";
import { CONSOLE_PAGES } from "@headwater/contract";
import { HEADWATER } from "../core/command-name.ts";
import type { PathServer } from "./app.ts";
import { pageHeaders } from "./page-headers.ts";
import { chooseEncoding, type Exchange, send } from "./reply.ts";

/** The folder of the console's files, in the URL and on disk. */
const ASSETS = "console";
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
/** The suffix of a compressed file by its content coding, the smallest first. */
const SUFFIXES = new Map([
  ["br", ".br"],
  ["gzip", ".gz"],
]);
/** Paths that programs use. A browser that opens one of them sees what the program gets. */
const PROGRAM_PATH = /^\/+(?:api|sdk|console|metrics|mcp)(?:\/|$)/;

/** Whether a person opened an address in a browser. Other clients do not ask for HTML. */
const isPageVisit = ({ request: { headers } }: Exchange, path: string): boolean =>
  headers["sec-fetch-dest"] === "document" &&
  (headers.accept ?? "").includes("text/html") &&
  !PROGRAM_PATH.test(path);

/** The place of the command line's name in the page; apps/console/src/command-name.ts reads it. */
const COMMAND_META = '<meta name="headwater-command" content=""';

const FOREVER = "public, max-age=31536000, immutable";

interface ConsoleFilesDeps {
  /** The output of `apps/console/build.js`. */
  readonly folder: string;
  /** The console's address, whose path may be a proxy's. It may contain the listening port, which is known only after the start. */
  readonly appUrl: () => string;
  /** The sites that may show shared links of a source in a frame. */
  readonly embedOriginsOf: (sourceId: string) => Promise<readonly string[]>;
  /** Counts a page for its client. @throws Refusal 429 */
  readonly requireRate: (request: IncomingMessage) => void;
}

/** The only page that other sites may show in a frame, and which of them is the source's own setting. */
const EMBED_PAGE = /^\/embed\/?$/;
/** Origins that a policy can contain. An internationalized name is stored in ASCII. */
const POLICY_ORIGIN = /^[\w.*:/[\]-]+$/;

const frameAncestors = (origins: readonly string[]): string =>
  origins.filter((origin) => POLICY_ORIGIN.test(origin)).join(" ") || "'none'";

/**
 * No content from other hosts, no inline script and no style in the markup. Text becomes markup only in
 * apps/console/src/trusted-types.ts.
 */
const consolePageHeaders = (embedOrigins: readonly string[]) => ({
  ...pageHeaders({
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "base-uri": "'self'",
    "trusted-types": "default",
    "frame-ancestors": frameAncestors(embedOrigins),
  }),
  // a site that isolates itself (COEP) shows only frames that allow it
  ...(embedOrigins.length > 0 && { "Cross-Origin-Resource-Policy": "cross-origin" }),
});

const commonHeaders = (requestId: string) => ({
  "X-Content-Type-Options": "nosniff",
  "X-Request-Id": requestId,
});

/** The path of the console for HTML. A URL's path contains neither quotes nor angle brackets. */
function basePathOf(appUrl: string): string {
  const path = (URL.parse(appUrl)?.pathname ?? "/").replaceAll("&", "&amp;");
  return path.endsWith("/") ? path : `${path}/`;
}

/** The output of the last build. The console may be built again while the service runs, which renames its files. */
function openBuild(folder: string) {
  const indexFile = join(folder, "index.html");
  const assets = join(folder, ASSETS);
  let template = readFileSync(indexFile, "utf8");
  let files = new Set(readdirSync(assets));
  const readAgain = async () => {
    const html = await readFile(indexFile, "utf8");
    if (html === template) return;
    files = new Set(await readdir(assets));
    template = html;
  };
  return {
    hasFile: (name: string) => files.has(name),
    /** Returns null when the file is missing. */
    readAsset: (name: string) => readFile(join(assets, name)).catch(() => null),
    async readTemplate(): Promise<string> {
      // during a build there may be no files: the template is then the one before
      await readAgain().catch(() => undefined);
      return template;
    },
  };
}

type Build = ReturnType<typeof openBuild>;

async function sendFile(
  build: Build,
  exchange: Exchange,
  { name, mediaType }: { name: string; mediaType: string },
): Promise<void> {
  const codings = [...SUFFIXES]
    .filter(([, suffix]) => build.hasFile(name + suffix))
    .map(([coding]) => coding);
  const coding = chooseEncoding(exchange.request.headers, codings);
  const headers = { ...commonHeaders(exchange.requestId), "Cross-Origin-Resource-Policy": "same-origin" };
  const suffix = coding === undefined ? "" : SUFFIXES.get(coding);
  const bytes = await build.readAsset(`${name}${suffix}`);
  // the console was built again since the start: the next load of the page has the new names
  if (bytes === null) return send(exchange, { status: 404, headers });
  const fileHeaders = { "Content-Type": mediaType, "Cache-Control": FOREVER, Vary: "Accept-Encoding" };
  const encoded = coding === undefined ? {} : { "Content-Encoding": coding };
  send(exchange, { status: 200, headers: { ...headers, ...fileHeaders, ...encoded } }, bytes);
}

export function createConsoleFiles({
  folder,
  appUrl,
  embedOriginsOf,
  requireRate,
}: ConsoleFilesDeps): PathServer {
  const build = openBuild(folder);
  const pages = new Set<string>(CONSOLE_PAGES.flatMap((page) => (page === "/" ? page : [page, `${page}/`])));

  async function sendPage(
    exchange: Exchange,
    status = 200,
    findEmbedOrigins = async (): Promise<readonly string[]> => [],
  ): Promise<void> {
    requireRate(exchange.request);
    const embedOrigins = await findEmbedOrigins();
    const html = (await build.readTemplate())
      .replace('<base href="/"', () => `<base href="${basePathOf(appUrl())}"`)
      .replace(COMMAND_META, () => `${COMMAND_META.slice(0, -1)}${HEADWATER}"`);
    const headers = {
      ...commonHeaders(exchange.requestId),
      ...consolePageHeaders(embedOrigins),
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-cache",
    };
    send(exchange, { status, headers }, html);
  }

  async function sendEmbedPage(exchange: Exchange): Promise<void> {
    const sourceId = new URLSearchParams(exchange.queryText).get("sourceId") ?? "";
    return sendPage(exchange, 200, () => embedOriginsOf(sourceId));
  }

  return {
    /** Returns null when the path is not one of the console's, unless a browser opens it as a page: that gets the console's own 404. */
    serve(exchange, path) {
      const { method } = exchange.request;
      if (method !== "GET" && method !== "HEAD") return null;
      const name = path.startsWith(`/${ASSETS}/`) ? path.slice(ASSETS.length + 2) : "";
      const mediaType = build.hasFile(name) ? MEDIA_TYPES[extname(name)] : undefined;
      if (mediaType) return sendFile(build, exchange, { name, mediaType });
      if (EMBED_PAGE.test(path)) return sendEmbedPage(exchange);
      if (pages.has(path)) return sendPage(exchange);
      return isPageVisit(exchange, path) ? sendPage(exchange, 404) : null;
    },
  };
}
