/** A steady stream of single events, 100 a second, with the answer to each: what was acknowledged, and when. */
import assert from "node:assert/strict";
import type { TestSource } from "../support/world.ts";
import type { Child } from "./child.ts";
import { bodyOf, makeBatch, openVisitor, post, type Visitor } from "./load.ts";
import type { SeededRandom } from "./random.ts";

const TICK_MS = 10;
/** No header that is not sent anyway. */
const NO_HEADERS = () => ({});
type HeadersOf = (serial: number) => Record<string, string>;

export interface TrickleAnswer {
  eventId: string;
  /** By `performance.now()`. */
  sentAt: number;
  answeredAt: number;
  /** `accepted`, `duplicate`, or the status and code of a refusal. */
  outcome: string;
}

interface TrickleOptions {
  url: string;
  source: TestSource;
  random: SeededRandom;
  headersOf: HeadersOf;
}

export class Trickle implements AsyncDisposable {
  readonly answers: TrickleAnswer[] = [];
  readonly #url: string;
  readonly #source: TestSource;
  readonly #random: SeededRandom;
  readonly #visitor: Visitor;
  readonly #timer: NodeJS.Timeout;
  readonly #open = new Set<Promise<void>>();
  readonly #headersOf: HeadersOf;
  #serial = 0;

  /** @param headersOf further headers of the n-th request */
  static async start(
    { url }: Pick<Child, "url">,
    source: TestSource,
    random: SeededRandom,
    headersOf: HeadersOf = NO_HEADERS,
  ): Promise<Trickle> {
    return new Trickle({ url, source, random, headersOf }, await openVisitor(url, source));
  }

  private constructor({ url, source, random, headersOf }: TrickleOptions, visitor: Visitor) {
    this.#url = `${url}/api/ingest/v2/${source.publicKey}/events`;
    this.#source = source;
    this.#random = random;
    this.#headersOf = headersOf;
    this.#visitor = visitor;
    this.#timer = setInterval(() => {
      const sending = this.#send().finally(() => this.#open.delete(sending));
      this.#open.add(sending);
    }, TICK_MS);
  }

  async #send(): Promise<void> {
    const batch = makeBatch(this.#source, this.#visitor, this.#random);
    batch.events.length = 1;
    const { eventId } = batch.events[0]!.expected;
    this.#serial += 1;
    const headers = this.#headersOf(this.#serial);
    const sentAt = performance.now();
    const outcome = await post(this.#url, bodyOf(batch), headers).then(
      ({ status, body }) => (status === 200 ? body.results[0].status : `${status} ${body.code}`) as string,
      (error: Error) => error.message,
    );
    this.answers.push({ eventId, sentAt, answeredAt: performance.now(), outcome });
  }

  /** Stops sending, and waits for the open requests. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
  }

  count(outcome: string): number {
    return this.answers.filter((answer) => answer.outcome === outcome).length;
  }

  acceptedIds(): string[] {
    return this.answers.filter(({ outcome }) => outcome === "accepted").map(({ eventId }) => eventId);
  }

  /**
   * Asserts that the service noticed the fault in time, and acknowledged nothing that was sent after its first refusal.
   * @returns milliseconds from the fault to the first refusal
   */
  assertRefusedSince(faultAt: number, maxMs: number): number {
    const refused = this.answers.filter(({ outcome }) => outcome === "503 storage_unavailable");
    const knownAt = Math.min(...refused.map(({ answeredAt }) => answeredAt));
    assert.ok(knownAt - faultAt <= maxMs, `noticed after ${knownAt - faultAt} ms`);
    const after = this.answers.filter(({ sentAt }) => sentAt > knownAt);
    assert.ok(after.length > 50, `${after.length} requests were sent after the first refusal`);
    assert.deepEqual(new Set(after.map(({ outcome }) => outcome)), new Set(["503 storage_unavailable"]));
    return Math.round(knownAt - faultAt);
  }
}
