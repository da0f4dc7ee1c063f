/** ClickHouse's HTTP interface over the engine: `/ping`, and queries in the URL or the body. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type Inbox, readBody } from "./body.ts";
import type { Engine, Figures } from "./engine.ts";
import { type Exception, exception, exceptionOf, statusOf, trailerOf } from "./exception.ts";
import { watchProgress } from "./progress.ts";
import { type DataFile, isInsertOfBody, type Question, readQuestion } from "./question.ts";

/** ClickHouse's own `keep_alive_timeout`: a client that is slow for a moment finds its connection open. */
const KEEP_ALIVE_MS = 30_000;
const SERVER = "headwater";
const ID_BYTES = 16;
/** Parameters stand in the address: ClickHouse's own bound of it, `http_max_uri_size`. */
const ADDRESS_BYTES = 1_048_576;

export interface Credentials {
  username: string;
  password: string;
}

export interface InterfaceParts {
  engine: Engine;
  inbox: Inbox;
  credentials: Credentials;
}

const digest = (text: string) => createHash("sha256").update(text).digest();
const same = (one: string, other: string) => timingSafeEqual(digest(one), digest(other));

/** By basic authentication, by ClickHouse's own headers, or in the URL. */
function credentialsOf({ headers }: IncomingMessage, url: URL): Credentials {
  const basic = /^Basic\s+(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  const [username = "", ...password] = basic ? Buffer.from(basic, "base64").toString("utf8").split(":") : [];
  const header = (name: string) => (headers[name] as string | undefined) ?? null;
  return {
    username: header("x-clickhouse-user") ?? (basic ? username : url.searchParams.get("user")) ?? "",
    password:
      header("x-clickhouse-key") ?? (basic ? password.join(":") : url.searchParams.get("password")) ?? "",
  };
}

/** The engine counts what it answers, and not what it read for it. Of what is still at work nothing is known yet. */
const summaryOf = ({ rows, bytes, elapsedSeconds }: Figures) =>
  JSON.stringify({
    result_rows: String(rows),
    result_bytes: String(bytes),
    elapsed_ns: String(Math.round(elapsedSeconds * 1e9)),
  });
const NOT_YET: Figures = { rows: 0, bytes: 0, elapsedSeconds: 0 };

const MEDIA_TYPE: readonly [RegExp, string][] = [
  [/^(?:JSON\w*EachRow|JSONLines|NDJSON)/i, "application/x-ndjson; charset=UTF-8"],
  [/^JSON/i, "application/json; charset=UTF-8"],
  [/^CSV/i, "text/csv; charset=UTF-8"],
  [/^(?:TSV|TabSeparated)/i, "text/tab-separated-values; charset=UTF-8"],
];
const mediaTypeOf = (format: string) =>
  MEDIA_TYPE.find(([pattern]) => pattern.test(format))?.[1] ?? "application/octet-stream";

function refuse(response: ServerResponse, refused: Exception): void {
  if (response.destroyed) return;
  response.writeHead(statusOf(refused), {
    "Content-Type": "text/plain; charset=UTF-8",
    "X-ClickHouse-Exception-Code": String(refused.code),
    Connection: "close",
  });
  response.end(`${refused.message}\n`);
}

async function* withTrailer(chunks: AsyncIterable<Uint8Array>, tag: string, onTrailer: () => void) {
  try {
    yield* chunks;
  } catch (error) {
    onTrailer();
    yield Buffer.from(trailerOf(exceptionOf(error), tag));
  }
}

/** Sent as it comes, and no faster than it is taken; an exception in its midst ends the connection. */
async function send(
  response: ServerResponse,
  question: Question,
  answer: Awaited<ReturnType<Engine["ask"]>>,
  progress: string[],
  isGzip: boolean,
): Promise<void> {
  const tag = randomBytes(ID_BYTES / 2).toString("hex");
  let hasFailed = false;
  response.writeHead(200, {
    "Content-Type": mediaTypeOf(question.format),
    "X-ClickHouse-Query-Id": question.queryId,
    "X-ClickHouse-Format": question.format,
    "X-ClickHouse-Timezone": "UTC",
    "X-ClickHouse-Exception-Tag": tag,
    "X-ClickHouse-Server-Display-Name": SERVER,
    "X-ClickHouse-Progress": progress,
    "X-ClickHouse-Summary": summaryOf(answer.figures ?? NOT_YET),
    ...(isGzip ? { "Content-Encoding": "gzip" } : {}),
  });
  const chunks = withTrailer(answer.chunks, tag, () => {
    hasFailed = true;
  });
  const ends = { end: false };
  if (isGzip) await pipeline(chunks, createGzip(), response, ends);
  else await pipeline(chunks, response, ends);
  // without its last chunk nobody takes a broken answer for a whole one
  if (hasFailed) response.write("", () => response.destroy());
  else response.end();
}

/** Whether it is alive is told to everybody; what is no query has no handler. */
function answerWithoutQuery({ method = "" }: IncomingMessage, url: URL, response: ServerResponse): boolean {
  const isRead = method === "GET" || method === "HEAD";
  const isAlive = HEALTH.has(url.pathname) || (url.pathname === "/" && url.search === "");
  if (isRead && isAlive) response.end("Ok.\n");
  else if (url.pathname !== "/" || !QUERIES.has(method))
    response
      .writeHead(404, { "Content-Type": "text/plain; charset=UTF-8" })
      .end(`There is no handle ${url.pathname}${url.search && "?…"}\n`);
  else return false;
  return true;
}

/** As ClickHouse wants it of whoever sends no body. */
function requireLength({ method, headers }: IncomingMessage): void {
  if (method !== "POST" || headers["content-length"] !== undefined || headers["transfer-encoding"]) return;
  const text = "A POST request needs Content-Length, or Transfer-Encoding: chunked";
  throw exception(381, "HTTP_LENGTH_REQUIRED", text);
}

const HEALTH = new Set(["/ping", "/replicas_status"]);
const QUERIES = new Set(["GET", "POST"]);

async function answer(
  { engine, inbox, credentials }: InterfaceParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (answerWithoutQuery(request, url, response)) return;
  const given = credentialsOf(request, url);
  if (!same(given.username, credentials.username) || !same(given.password, credentials.password))
    throw exception(
      516,
      "AUTHENTICATION_FAILED",
      "Authentication failed: password is incorrect, or there is no such user",
    );
  requireLength(request);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const headers = new Headers(request.headers as Record<string, string>);
  const isGzip =
    url.searchParams.get("enable_http_compression") === "1" &&
    /\bgzip\b/.test(headers.get("accept-encoding") ?? "");
  const ask = async (body: Buffer | DataFile) => {
    const newId = () => randomBytes(ID_BYTES).toString("hex");
    const question = readQuestion(request.method ?? "GET", url, headers, body, newId);
    const { queryId, progressMs } = question;
    const watch = progressMs === null ? null : watchProgress(engine, queryId, progressMs);
    const asked = await engine.ask(question, gone.signal).finally(() => watch?.stop());
    await send(response, question, asked, watch?.lines() ?? [], isGzip);
  };
  if (isInsertOfBody(url)) await inbox.receive(request, ask);
  else await ask(await readBody(request));
}

/** Not listening yet. */
export function createInterface(parts: InterfaceParts): Server {
  const options = { maxHeaderSize: ADDRESS_BYTES, keepAliveTimeout: KEEP_ALIVE_MS };
  return createServer(options, (request, response) => {
    answer(parts, request, response).catch((error: unknown) => {
      // whoever asked has gone, or has half an answer already
      if (response.headersSent) response.destroy();
      else refuse(response, exceptionOf(error));
    });
  });
}
