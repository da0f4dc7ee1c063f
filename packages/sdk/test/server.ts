/** A minimal site and ingest API for tests, each on its own origin. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { buildSdk, buildWithEngagement, builtExtras } from "../build.js";

interface SentEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly name?: string;
  readonly anonymousId?: string;
  readonly sessionId?: string | null;
  readonly userId?: string | null;
  readonly page?: {
    url: string;
    path: string;
    title: string;
    referrer: string | null;
    hashRouting?: boolean;
  };
  readonly properties?: Record<string, unknown>;
  readonly passive?: boolean;
  readonly lost?: string;
}
interface SentBody {
  readonly ingestVersion: number;
  readonly sdkVersion: string;
  readonly batchId: string;
  readonly sentAt: string;
  readonly anonymousId: string;
  readonly sessionId: string | null;
  readonly userId?: string | null;
  readonly page?: SentEvent["page"];
  readonly context?: Record<string, unknown>;
  readonly events: SentEvent[];
}
export interface ReceivedRequest {
  readonly method: string;
  readonly route: "bootstrap" | "events";
  readonly key: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: SentBody;
  readonly receivedAtMs: number;
}
/** A scripted response. "hang up" closes the connection, "wait" never responds. */
export type ScriptedResponse =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | "hang up"
  | "wait"
  | ((request: ReceivedRequest) => ScriptedResponse);

export const refusal = (
  status: number,
  code: string,
  more: Record<string, unknown> = {},
): ScriptedResponse => ({
  status,
  body: {
    ok: false,
    code,
    message: `What is wrong: ${code}.`,
    hint: `What to do about ${code}.`,
    debugUrl: "https://debug.example",
    ...more,
  },
});

/** Derives a page's path from its URL, as the service does. */
const withPath = (name: string, value: { url?: string } | null) =>
  name === "page" && value?.url ? { ...value, path: new URL(value.url).pathname } : value;

const isSuccess = (body: unknown): body is { ok: true } => (body as { ok?: unknown } | null)?.ok === true;

async function listen(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export async function startIngest() {
  const script = await readFile(await buildSdk());
  const extras = await builtExtras();
  const requests: ReceivedRequest[] = [];
  const planned: (ScriptedResponse | Promise<ScriptedResponse>)[] = [];
  const watchers = new Set<() => void>();
  let sessions = 0;
  let privacy = { respectGpc: false, requireConsent: false };

  const success = ({ route, key, body }: ReceivedRequest): ScriptedResponse => ({
    status: 200,
    body: {
      ok: true,
      ...(route === "bootstrap" && {
        ingestVersion: 2,
        anonymousId: body.anonymousId,
        identifiedUserId: null,
        ingestUrl: `/api/ingest/v2/${key}/events`,
        privacy,
      }),
      sessionId: body.sessionId ?? `ses_${++sessions}`,
      accepted: body.events?.length ?? 0,
      duplicates: 0,
      rejected: 0,
    },
  });

  function reply(response: ServerResponse, answer: ScriptedResponse, request: ReceivedRequest): void {
    if (answer === "hang up") response.destroy();
    else if (answer === "wait") return;
    else if (typeof answer === "function") reply(response, answer(request), request);
    else {
      const taken = request.body.events?.map(() => ({ status: "accepted", code: null })) ?? [];
      // A success has a result for every event.
      const body = isSuccess(answer.body) ? { results: taken, ...answer.body } : answer.body;
      const text = typeof body === "string" ? body : JSON.stringify(body ?? null);
      response.writeHead(answer.status, answer.headers).end(text);
    }
  }

  const { port, close } = await listen(async (incoming, response) => {
    response.setHeader("Access-Control-Allow-Origin", incoming.headers.origin ?? "*");
    response.setHeader("Access-Control-Allow-Headers", "*");
    response.setHeader("Access-Control-Expose-Headers", "Retry-After");
    const path = incoming.url ?? "/";
    if (path.endsWith("/sdk/v2.js?with=engagement")) {
      const both = await buildWithEngagement();
      response.writeHead(200, { "Content-Type": "text/javascript" }).end(both);
      return;
    }
    if (path.endsWith("/sdk/v2.js")) {
      response.writeHead(200, { "Content-Type": "text/javascript" }).end(script);
      return;
    }
    const extra = extras.find(({ name }) => path.endsWith(`/sdk/extras/${name}.js`));
    if (extra) {
      response.writeHead(200, { "Content-Type": "text/javascript" }).end(await readFile(extra.path));
      return;
    }
    const [, key = "", route] = /\/api\/ingest\/v2\/([^/]+)\/(bootstrap|events)$/.exec(path) ?? [];
    if (route !== "bootstrap" && route !== "events") {
      response.writeHead(404).end();
      return;
    }
    const text = Buffer.concat(await Array.fromAsync<Buffer>(incoming)).toString();
    const request: ReceivedRequest = {
      method: incoming.method ?? "",
      route,
      key: decodeURIComponent(key),
      headers: incoming.headers,
      body: text === "" ? {} : JSON.parse(text, withPath),
      receivedAtMs: Date.now(),
    };
    requests.push(request);
    if (request.method === "OPTIONS") reply(response, { status: 204 }, request);
    else
      void Promise.resolve(planned.shift() ?? success(request)).then((answer) =>
        reply(response, answer, request),
      );
    for (const look of watchers) look();
  });

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    /** Sets the responses to the next requests, some delayed by a promise. Later requests succeed. */
    plan: (...answers: (ScriptedResponse | Promise<ScriptedResponse>)[]) => void planned.push(...answers),
    /** The privacy settings of the source. */
    setPrivacy(changes: Partial<typeof privacy>) {
      privacy = { ...privacy, ...changes };
    },
    /** A summary of the received requests. */
    summary: () =>
      requests.map(({ route, body }) => `${route} ${body.events?.length}`).join(", ") || "no request",
    events: () => requests.flatMap((request) => request.body.events ?? []),
    /** Waits until the received requests satisfy the condition, or the test times out. */
    async until<T>(condition: (requests: readonly ReceivedRequest[]) => T | undefined | false): Promise<T> {
      const { promise, resolve } = Promise.withResolvers<T>();
      const look = () => {
        const met = condition(requests);
        if (met) resolve(met);
      };
      watchers.add(look);
      look();
      return promise.finally(() => watchers.delete(look));
    },
    close,
  };
}
export type TestIngest = Awaited<ReturnType<typeof startIngest>>;

/** Every URL of the site serves the same page, with the head that the test sets. */
export async function startSite() {
  let head = "";
  let headers: Record<string, string> = {};
  let delayMs = 0;
  const { port, close } = await listen(async (incoming, response) => {
    if (incoming.url === "/favicon.ico") return void response.writeHead(204).end();
    if (delayMs > 0) await setTimeout(delayMs);
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", ...headers });
    response.end(`<!doctype html><title>Home</title>${head}<body><div id="root"></div>`);
  });
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    showHead(html: string) {
      head = html;
    },
    sendHeaders(given: Record<string, string>) {
      headers = given;
    },
    /** Lets each page come after this time. */
    slowDown(ms: number) {
      delayMs = ms;
    },
    close,
  };
}
export type TestSite = Awaited<ReturnType<typeof startSite>>;
