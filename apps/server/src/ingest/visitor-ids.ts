/**
 * Ids of visitors whose browser stores nothing: a keyed hash of source, address and user agent. The key is a random salt of the
 * UTC day that all nodes share. When it is destroyed, nobody can compute the id again or link ids of different days or sources.
 */
import { createHmac } from "node:crypto";
import { DAILY_ID_PREFIX } from "../core/ids.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { dayOf } from "../core/time.ts";
import type { SaltLedger } from "../ledger/ledger.ts";
import type { RequestHead } from "./ingest-request.ts";
import type { BootstrapFields } from "./parse.ts";
import { senderHeadOf } from "./sender.ts";
import { userAgentOf } from "./visitor.ts";

/** Today's id, and the one that the visitor had yesterday, because a visit may go on after midnight. */
export type DailyIds = readonly [today: string, yesterday: string];

export type VisitorIds = ReturnType<typeof createVisitorIds>;

const ID_DIGITS = 32;

interface VisitorIdDeps {
  readonly ledger: SaltLedger;
  readonly clock: () => number;
}

export function createVisitorIds({ ledger, clock }: VisitorIdDeps) {
  /** The salts of today and yesterday. */
  const salts = new Map<number, Promise<Uint8Array>>();

  function saltOf(day: number): Promise<Uint8Array> {
    const known = salts.get(day);
    if (known) return known;
    const salt = ledger.visitorSalt({ day });
    salts.set(day, salt);
    salt.catch(() => salts.delete(day));
    return salt;
  }

  async function forgetBefore(oldest: number): Promise<void> {
    for (const [day, salt] of salts) {
      if (day >= oldest) continue;
      salts.delete(day);
      // the memory of a dropped value is not cleared by itself
      await salt.then(
        (bytes) => bytes.fill(0),
        () => undefined,
      );
    }
  }

  return {
    async of(
      request: RequestHead,
      { context }: Pick<BootstrapFields, "context">,
      sourceId: string,
    ): Promise<DailyIds> {
      const today = dayOf(request.receivedAt);
      const [salt, previousSalt] = await Promise.all([saltOf(today), saltOf(today - 1)]);
      const sender = senderHeadOf(request);
      const userAgent = userAgentOf(context ?? null, sender)?.slice(0, SERVER_LIMITS.maxUserAgentLength);
      const text = `${sourceId}\n${request.clientAddress}\n${userAgent ?? ""}`;
      const idBy = (key: Uint8Array) =>
        DAILY_ID_PREFIX + createHmac("sha256", key).update(text).digest("hex").slice(0, ID_DIGITS);
      return [idBy(salt), idBy(previousSalt)];
    },
    /** Destroys the salts from before yesterday, here and in the ledger. */
    async expire() {
      const yesterday = dayOf(clock()) - 1;
      await forgetBefore(yesterday);
      await ledger.destroyVisitorSalts({ before: yesterday });
    },
  };
}
