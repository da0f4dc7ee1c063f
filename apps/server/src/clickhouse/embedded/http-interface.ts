/** The part of ClickHouse's HTTP interface that the official client uses: `/ping`, and statements by POST. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Engine } from "./engine.ts";
import { type ClickHouseException, exception, toException, trailerOf } from "./exception.ts";
import { type Inbox, readStatement } from "./inbox.ts";
import { type EngineRequest, insertFromFile, insertOf, readRequest } from "./request.ts";

/** ClickHouse's `keep_alive_timeout`. */
const KEEP_ALIVE_MS = 30_000;
/** ClickHouse's `http_max_uri_size`: parameters are part of the URL. */
const MAX_URL_BYTES = 1_048_576;
const ID_BYTES = 16;

interface HttpInterfaceDeps {
  engine: Engine;
  inbox: Inbox;
  credentials: { username: string; password: string };
}

const digest = (text: string) => createHash("sha256").update(text).digest();

function isAuthorized(
  { headers }: IncomingMessage,
  { username, password }: HttpInterfaceDeps["credentials"],
) {
  const expected = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  return timingSafeEqual(digest(headers.authorization ?? ""), digest(expected));
}

function sendException(response: ServerResponse, status: number, failed: ClickHouseException): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    "Content-Type": "text/plain; charset=UTF-8",
    "X-ClickHouse-Exception-Code": String(failed.code),
    Connection: "close",
  });
  response.end(`${failed.message}\n`);
}

/** Ends the chunks with the exception when they fail, as ClickHouse does. */
async function* withTrailer(chunks: AsyncIterable<Uint8Array>, tag: string, onFailure: () => void) {
  try {
    yield* chunks;
  } catch (error) {
    onFailure();
    yield Buffer.from(trailerOf(toException(error), tag));
  }
}

/** Streams the answer at the reader's speed. */
async function sendAnswer(
  response: ServerResponse,
  { queryId, format }: EngineRequest,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const tag = randomBytes(ID_BYTES / 2).toString("hex");
  let hasFailed = false;
  response.writeHead(200, {
    "X-ClickHouse-Query-Id": queryId,
    "X-ClickHouse-Format": format,
    "X-ClickHouse-Exception-Tag": tag,
  });
  const body = withTrailer(chunks, tag, () => {
    hasFailed = true;
  });
  await pipeline(body, response, { end: false });
  // a failed answer ends without the final chunk of its encoding, so that no client takes it for complete
  if (hasFailed) response.write("", () => response.destroy());
  else response.end();
}

async function answer(
  deps: HttpInterfaceDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { engine, inbox, credentials } = deps;
  const url = new URL(request.url ?? "/", "http://localhost");
  if (url.pathname === "/ping") return void response.end("Ok.\n");
  if (!isAuthorized(request, credentials)) {
    const failed = exception(516, "AUTHENTICATION_FAILED", "Authentication failed: wrong user or password");
    return sendException(response, 403, failed);
  }
  if (url.pathname !== "/" || request.method !== "POST")
    return sendException(response, 404, exception(48, "NOT_IMPLEMENTED", "Send statements with POST to /"));
  const disconnected = new AbortController();
  response.once("close", () => disconnected.abort());
  const run = async (statement: string) => {
    const query = readRequest(url, statement, randomBytes(ID_BYTES).toString("hex"));
    await sendAnswer(response, query, await engine.run(query, disconnected.signal));
  };
  const insert = insertOf(url);
  if (insert === null) await run(await readStatement(request));
  else await inbox.receive(request, (file) => run(insertFromFile(insert, file)));
}

/** @returns a server that does not listen yet */
export function createHttpInterface(deps: HttpInterfaceDeps): Server {
  const options = { maxHeaderSize: MAX_URL_BYTES, keepAliveTimeout: KEEP_ALIVE_MS };
  return createServer(options, (request, response) => {
    answer(deps, request, response).catch((error: unknown) => {
      // the client has disconnected, or has a part of the answer already
      if (response.headersSent) response.destroy();
      else sendException(response, 500, toException(error));
    });
  });
}
