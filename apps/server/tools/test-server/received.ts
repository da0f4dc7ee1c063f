/** What the test server has received since it was last emptied: accepted events and refusals, each in the order of arrival. */
import type { EventResult, Issue, ViolationDetails } from "@headwater/contract";
import { parseExactJson } from "../../src/core/exact-json.ts";
import type { Refusal } from "../../src/core/refusal.ts";
import { toIsoTime } from "../../src/core/time.ts";
import { hintOf } from "../../src/debug/hints.ts";
import { withAllMembers } from "../../src/export/from-ledger.ts";
import type { AnsweredOutcome, Attempt, EventRejection } from "../../src/ingest/attempt.ts";
import type { PlanViolation } from "../../src/plan/compile-plan.ts";
import type { PlanPlace } from "../plan/plan-folder.ts";

/** The oldest entries are dropped beyond these numbers. */
const MAX_EVENTS = 10_000;
const MAX_REFUSALS = 1_000;
const MAX_BODY_LENGTH = 16_384;

/** A rejected event, or a request that was refused as a whole. Members that do not apply are null. */
export interface ReceivedRefusal {
  readonly kind: "event" | "request";
  readonly receivedAt: string;
  /** The tool whose client sent it; null: Headwater's. */
  readonly endpoint: string | null;
  readonly origin: string | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly hint: string | null;
  readonly name: string | null;
  /** The event as it was sent. */
  readonly event: unknown;
  readonly violation: ViolationDetails | null;
  /** The line of the plan that the event violates. */
  readonly plan: PlanPlace | null;
  readonly issues: readonly Issue[];
  /** The body of a refused request. */
  readonly body: string | null;
}

interface StoredLine {
  readonly name: string;
  readonly type: string;
  readonly receivedAt: number;
  /** The event as an export has it, as JSON. */
  readonly json: string;
}

export interface EventFilter {
  readonly name: string | null;
  readonly type: string | null;
  /** Milliseconds since the epoch. */
  readonly since: number | null;
}

/** @returns null for an event that no line of the plan decides about */
export type FindPlace = (event: string, violation: PlanViolation) => PlanPlace | null;

const NOT_AN_EVENT = { name: null, event: null, violation: null, plan: null };

/** Whether the event can be shown: `JSON.stringify` throws for one that nests thousands of levels deep. */
function isJson(event: unknown): boolean {
  try {
    JSON.stringify(event);
    return true;
  } catch {
    return false;
  }
}

function hintFor(code: string | null, plan: PlanPlace | null): string | null {
  if (plan) return `Correct the code that sends the event, or the plan: ${plan.file}:${plan.line}`;
  return code === null ? null : hintOf(code);
}

export class ReceivedEvents {
  readonly #findPlace: FindPlace;
  #events: StoredLine[] = [];
  #refusals: ReceivedRefusal[] = [];

  constructor(findPlace: FindPlace) {
    this.#findPlace = findPlace;
  }

  add(attempt: Attempt): void {
    const { outcome } = attempt;
    if (outcome.kind === "refused") this.#addRefusal(this.#toRefusal(attempt, outcome.refusal));
    else this.#addAnswered(attempt, outcome);
  }

  /** Adds a request that no route has. */
  addStray({ message, hint, code }: Refusal, origin: string | null, now: number): void {
    const facts = { kind: "request", receivedAt: toIsoTime(now), endpoint: null, origin } as const;
    this.#addRefusal({ ...facts, code, message, hint, ...NOT_AN_EVENT, issues: [], body: null });
  }

  clear(): void {
    this.#events = [];
    this.#refusals = [];
  }

  /** The events as a JSON list. */
  eventsJson({ name, type, since }: EventFilter): string {
    const chosen = this.#events.filter(
      (event) =>
        (name === null || event.name === name) &&
        (type === null || event.type === type) &&
        (since === null || event.receivedAt >= since),
    );
    return `[${chosen.map(({ json }) => json).join(",\n")}]`;
  }

  refusals({ name, since }: Pick<EventFilter, "name" | "since">): readonly ReceivedRefusal[] {
    return this.#refusals.filter(
      (refusal) =>
        (name === null || refusal.name === name) &&
        (since === null || Date.parse(refusal.receivedAt) >= since),
    );
  }

  #addAnswered(attempt: Attempt, { results, normalized, rejections }: AnsweredOutcome): void {
    const lines = normalized();
    const rejected = rejections();
    for (const [at, result] of results.entries()) {
      const rejection = rejected[at];
      if (rejection) this.#addRefusal(this.#toRejection(attempt, result, rejection));
      else this.#addEvent(attempt, result, lines[at] ?? null);
    }
  }

  #addEvent({ receivedAt }: Attempt, { status, name, type }: EventResult, line: string | null): void {
    if (status !== "accepted" || line === null) return;
    if (this.#events.length >= MAX_EVENTS) this.#events.shift();
    const json = JSON.stringify(withAllMembers(parseExactJson(line)));
    this.#events.push({ name, type, receivedAt, json });
  }

  #addRefusal(refusal: ReceivedRefusal): void {
    if (this.#refusals.length >= MAX_REFUSALS) this.#refusals.shift();
    this.#refusals.push(refusal);
  }

  #toRefusal({ receivedAt, endpoint, origin, body }: Attempt, refusal: Refusal): ReceivedRefusal {
    const { code, message, hint, detail } = refusal;
    const { bodyText, bodyStart } = body();
    return {
      kind: "request",
      receivedAt: toIsoTime(receivedAt),
      endpoint,
      origin,
      code,
      message,
      hint,
      ...NOT_AN_EVENT,
      issues: detail.issues ?? [],
      body: (bodyText ?? bodyStart)?.slice(0, MAX_BODY_LENGTH) ?? null,
    };
  }

  #toRejection(
    { receivedAt, endpoint, origin }: Attempt,
    { code, message, name, planViolation }: EventResult,
    { event, violation }: EventRejection,
  ): ReceivedRefusal {
    const plan = violation && this.#findPlace(name, violation);
    return {
      kind: "event",
      receivedAt: toIsoTime(receivedAt),
      endpoint,
      origin,
      code,
      message,
      hint: hintFor(code, plan),
      name,
      event: isJson(event) ? event : null,
      violation: planViolation,
      plan,
      issues: [],
      body: null,
    };
  }
}
