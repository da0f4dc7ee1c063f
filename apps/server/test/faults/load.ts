/**
 * Visitors that send batches at a steady rate and keep what they sent and the responses. They retry a batch with the same
 * ids until it is acknowledged, as the browser client does.
 */
import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { until } from "../support/until.ts";
import { ORIGIN, type TestSource } from "../support/world.ts";
import { type GeneratedEvent, makeEvent, type StoredEvent } from "./events.ts";
import type { SeededRandom } from "./random.ts";

const BATCHES_A_SECOND = process.env.TEST_LONG ? 200 : 50;
/** Many batches are in flight at any moment, so that a fault hits some. */
export const DENSE = 200;
const EVENTS_A_BATCH = 10;
const TICK_MS = 25;
const RETRY_MS = 250;
const VISITORS = 20;

export interface LoadResult {
  eventId: string;
  analyticsEventId: string;
  status: "accepted" | "duplicate" | "rejected";
}
export interface LoadReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  body: any;
}
export interface Visitor {
  sessionId: string;
  anonymousId: string;
}
export interface LoadBatch {
  visitor: Visitor;
  batchId: string;
  events: GeneratedEvent[];
  tries: number;
  /** The results in the 200 response; null until the batch is acknowledged. */
  results: LoadResult[] | null;
}

const KEPT = { keepAlive: true, maxSockets: 64 };
const agent = new Agent(KEPT);
const secureAgent = new SecureAgent(KEPT);

let secureHost: string | undefined;
/** Makes https requests go to the server with this name, and trust this CA certificate. */
export function believe(ca: string, servername: string): void {
  Object.assign(secureAgent.options, { ca, servername });
  secureHost = servername;
}

/** Parses a response body. A proxy without a response from the service answers with HTML of its own, or with nothing. */
const bodyIn = (status: number, text: string): unknown =>
  text.startsWith("<") || (status === 502 && text === "") ? { code: "no_answer" } : JSON.parse(text);

/** Posts JSON. @throws Error when no complete response arrives */
export function post(
  url: string,
  body: unknown,
  extraHeaders: Record<string, string> = {},
): Promise<LoadReply> {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  const isSecure = url.startsWith("https:");
  const host = isSecure && secureHost !== undefined ? { host: secureHost } : {};
  const headers = {
    ...host,
    origin: ORIGIN,
    "content-type": "text/plain",
    "content-length": length,
    ...extraHeaders,
  };
  return new Promise((resolve, reject) => {
    const options = { method: "POST", agent: isSecure ? secureAgent : agent, headers, timeout: 15_000 };
    const sending = (isSecure ? secureRequest : request)(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        if (!response.complete) return reject(new Error("the response was cut off"));
        const status = response.statusCode!;
        const body = bodyIn(status, Buffer.concat(chunks).toString());
        resolve({ status, headers: response.headers, body });
      });
    });
    sending.on("error", (error: NodeJS.ErrnoException) => {
      // The server may close an idle connection at the moment when a request takes it: clients then send again.
      const wasIdle = sending.reusedSocket && error.code === "ECONNRESET";
      if (wasIdle) resolve(post(url, body, extraHeaders));
      else reject(error);
    });
    sending.on("timeout", () => sending.destroy(new Error("no response within 15 s")));
    sending.end(text);
  });
}

/** Posts JSON, and retries while the server is overloaded or a proxy has no answer of it, as the browser client does. */
export const send = (url: string, body: unknown): Promise<LoadReply> =>
  until("the server is not overloaded", async () => {
    const reply = await post(url, body);
    return !["overloaded", "no_answer"].includes(reply.body.code) && reply;
  });

export async function openVisitor(url: string, source: TestSource): Promise<Visitor> {
  const anonymousId = `visitor-${randomUUID()}`;
  const page = { url: `${ORIGIN}/` };
  const body = { ingestVersion: 2, sdkVersion: "test", anonymousId, page };
  const reply = await send(`${url}/api/ingest/v2/${source.publicKey}/bootstrap`, body);
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
  return { anonymousId, sessionId: reply.body.sessionId as string };
}

/** The body of a request; each attempt has a new `sentAt`. */
export const bodyOf = ({ visitor, batchId, events }: LoadBatch) => ({
  ingestVersion: 2,
  sdkVersion: "test",
  batchId,
  sentAt: new Date().toISOString(),
  ...visitor,
  events: events.map(({ sent }) => sent),
});

export const makeBatch = (source: TestSource, visitor: Visitor, random: SeededRandom): LoadBatch => ({
  visitor,
  batchId: randomUUID(),
  events: Array.from({ length: EVENTS_A_BATCH }, () => makeEvent(source.sourceId, random)),
  tries: 0,
  results: null,
});

export const expectedOf = ({ visitor, events }: LoadBatch): StoredEvent[] =>
  events.map(({ expected }) => ({ ...expected, ...visitor }));

export class Load implements AsyncDisposable {
  readonly sent: LoadBatch[] = [];
  /** The number of responses other than 200, by status and code, and of broken connections. */
  readonly refused = new Map<string, number>();
  /** The current URL of the server; null while it does not run. */
  url: string | null;
  readonly #source: TestSource;
  readonly #random: SeededRandom;
  readonly #batchesASecond: number;
  #visitors: Visitor[] = [];
  #timer: NodeJS.Timeout | undefined;
  #trying = new Set<Promise<void>>();
  #givenUp = false;

  constructor(url: string, source: TestSource, random: SeededRandom, batchesASecond = BATCHES_A_SECOND) {
    this.url = url;
    this.#batchesASecond = batchesASecond;
    this.#source = source;
    this.#random = random;
  }

  async start(): Promise<void> {
    while (this.#visitors.length < VISITORS) this.#visitors.push(await openVisitor(this.url!, this.#source));
    let due = 0;
    this.#timer = setInterval(() => {
      for (due += (this.#batchesASecond * TICK_MS) / 1_000; due >= 1; due -= 1) {
        const batch = makeBatch(this.#source, this.#random.pick(this.#visitors), this.#random);
        this.sent.push(batch);
        const trying = this.#deliver(batch).finally(() => this.#trying.delete(trying));
        this.#trying.add(trying);
      }
    }, TICK_MS);
  }

  /** Stops making new batches; retries continue. */
  pause(): void {
    clearInterval(this.#timer);
  }

  /** Waits until every batch is acknowledged. */
  async settle(): Promise<void> {
    this.pause();
    const left = () => this.sent.filter(({ results }) => results === null).length;
    await until("every batch is acknowledged", () => left() === 0).catch((error: Error) => {
      this.#givenUp = true;
      throw new Error(`${error.message}; ${left()} are not, refused: ${JSON.stringify([...this.refused])}`);
    });
  }

  /** Stops without waiting for acknowledgements. Open requests have ended when it resolves. */
  async abandon(): Promise<void> {
    this.pause();
    this.#givenUp = true;
    await Promise.all(this.#trying);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.abandon();
  }

  acknowledged(): LoadBatch[] {
    return this.sent.filter(({ results }) => results !== null);
  }

  async #deliver(batch: LoadBatch): Promise<void> {
    while (batch.results === null && !this.#givenUp) {
      if (this.url !== null) await this.#try(batch, this.url);
      if (batch.results === null) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  async #try(batch: LoadBatch, url: string): Promise<void> {
    batch.tries += 1;
    try {
      const reply = await post(`${url}/api/ingest/v2/${this.#source.publicKey}/events`, bodyOf(batch));
      if (reply.status === 200) batch.results = reply.body.results as LoadResult[];
      else this.#count(`${reply.status} ${reply.body.code}`);
    } catch (error) {
      this.#count((error as NodeJS.ErrnoException).code ?? (error as Error).message);
    }
  }

  #count(what: string): void {
    this.refused.set(what, (this.refused.get(what) ?? 0) + 1);
  }
}
