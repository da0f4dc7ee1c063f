/** Counts each finished attempt and logs refused ones. The debug module records attempts. */
import { toLogIds } from "../http/trace-context.ts";
import type { BoundedLog } from "../overload/bounded-log.ts";
import type { Attempt } from "./attempt.ts";

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface IngestCounters {
  request(kind: string, status: number, code: string, durationMs: number): void;
  bytes(count: number): void;
  events(status: string, code: string, count: number): void;
}

interface ObserverDeps {
  readonly log: Log;
  readonly boundedLog: BoundedLog;
  readonly counters: IngestCounters;
  /** Whether answered attempts are logged too, at level debug. */
  readonly logsAnswered: boolean;
}

const MAX_ORIGIN_LENGTH = 200;

/** A forged origin may contain a user and a password. */
const withoutUserinfo = (origin: string) => origin.replace(/^(\w+:\/\/)?.*@/s, "$1***@");

const toLogFields = (attempt: Attempt, code: string | null) => ({
  attemptId: attempt.attemptId,
  ...toLogIds(attempt),
  kind: attempt.kind,
  sourceId: attempt.source?.sourceId ?? null,
  code,
  origin: attempt.origin === null ? null : withoutUserinfo(attempt.origin).slice(0, MAX_ORIGIN_LENGTH),
  payloadBytes: attempt.payloadBytes,
  durationMs: Math.round(attempt.durationMs * 100) / 100,
});

function countEvents({ outcome }: Attempt, counters: IngestCounters): void {
  if (outcome.kind === "refused") return;
  const groups = new Map<string, { status: string; code: string; count: number }>();
  for (const { status, code } of outcome.results) {
    const key = code ?? status;
    const group = groups.get(key);
    if (group) group.count += 1;
    else groups.set(key, { status, code: code ?? "", count: 1 });
  }
  for (const { status, code, count } of groups.values()) counters.events(status, code, count);
}

export function createObserver({ log, boundedLog, counters, logsAnswered }: ObserverDeps) {
  let hasWarnedOfProxy = false;

  return (attempt: Attempt): void => {
    const { outcome } = attempt;
    const refusal = outcome.kind === "refused" ? outcome.refusal : null;
    counters.request(attempt.kind, refusal?.status ?? 200, refusal?.code ?? "", attempt.durationMs);
    counters.bytes(attempt.payloadBytes);
    countEvents(attempt, counters);
    if (attempt.proxyUntrusted && !hasWarnedOfProxy) {
      hasWarnedOfProxy = true;
      log.warn(
        { code: "proxy_untrusted" },
        "a proxy that TRUST_PROXY does not include sends X-Forwarded-For; set TRUST_PROXY to its address, or to 1",
      );
    }
    if (refusal) {
      // a rate limit's message is a constant that says which limit it is; other messages may quote the request
      const reason = refusal.code === "rate_limited" ? { reason: refusal.message } : {};
      boundedLog.info({ ...toLogFields(attempt, refusal.code), ...reason }, "ingest refused");
    } else if (logsAnswered) log.debug(toLogFields(attempt, null), "ingest answered");
  };
}
