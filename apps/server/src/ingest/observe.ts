/** A finished attempt as a log line and as counters; the debug record is the recorder's. */
import type { Attempt } from "../core/attempt.ts";

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface IngestCounters {
  request(kind: string, status: number, code: string, durationMs: number): void;
  events(status: string, code: string, count: number): void;
}

/** Refusals beyond this many a second are counted, not written out, so that a flood costs no disk. */
const LINES_A_SECOND = 50;
const FIELD_LENGTH = 200;

const short = (text: string | null) => (text === null ? null : text.slice(0, FIELD_LENGTH));

function lineOf(attempt: Attempt, code: string | null) {
  return {
    attemptId: attempt.attemptId,
    requestId: attempt.requestId,
    kind: attempt.kind,
    sourceId: attempt.source?.sourceId ?? null,
    code,
    origin: short(attempt.origin),
    payloadBytes: attempt.payloadBytes,
    durationMs: Math.round(attempt.durationMs * 100) / 100,
  };
}

export function createObserver(log: Log, counters: IngestCounters, clock: () => number, debugLines: boolean) {
  let second = 0;
  let lines = 0;
  let proxySeen = false;

  const mayWrite = () => {
    const now = Math.floor(clock() / 1_000);
    if (now !== second) {
      if (lines > LINES_A_SECOND)
        log.info({ notWritten: lines - LINES_A_SECOND }, "further refusals of that second");
      second = now;
      lines = 0;
    }
    lines += 1;
    return lines <= LINES_A_SECOND;
  };

  const countEvents = (attempt: Attempt) => {
    if (attempt.outcome.kind !== "answered") return;
    const byOutcome = new Map<string, { status: string; code: string; count: number }>();
    for (const { status, code } of attempt.outcome.results) {
      const key = `${status} ${code}`;
      const counted = byOutcome.get(key) ?? { status, code: code ?? "", count: 0 };
      counted.count += 1;
      byOutcome.set(key, counted);
    }
    for (const { status, code, count } of byOutcome.values()) counters.events(status, code, count);
  };

  return (attempt: Attempt): void => {
    const { outcome } = attempt;
    const refusal = outcome.kind === "refused" ? outcome.refusal : null;
    counters.request(attempt.kind, refusal?.status ?? 200, refusal?.code ?? "", attempt.durationMs);
    countEvents(attempt);
    if (attempt.proxyUntrusted && !proxySeen) {
      proxySeen = true;
      log.warn(
        { code: "proxy_untrusted" },
        "a proxy that TRUST_PROXY does not vouch for sends X-Forwarded-For; set TRUST_PROXY to its address, or to 1",
      );
    }
    if (refusal && mayWrite()) log.info(lineOf(attempt, refusal.code), "ingest refused");
    else if (!refusal && debugLines) log.debug(lineOf(attempt, null), "ingest answered");
  };
}
