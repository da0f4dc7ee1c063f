/**
 * Limits how many mails the service sends to one address, for one person and for one workspace. All kinds of mail count together,
 * and deleting an invitation or a report does not reset the count, so nobody can flood a mailbox.
 */

import { LIMITS } from "@headwater/contract/limits";
import { SERVER_LIMITS } from "../core/limits.ts";
import { createLru } from "../core/lru.ts";
import { Refusal } from "../core/refusal.ts";
import { HOUR_MS } from "../core/time.ts";
import { rateHeaders } from "../overload/rate-limit.ts";
import { toMailboxKey } from "./email-address.ts";
import type { Mail, Mailer } from "./mailer.ts";

/** The workspace and person that cause a mail. */
interface MailCause {
  /** null: the mail is about an account. */
  readonly organizationId: string | null;
  /** null: nobody who is known, such as for a report that was due. */
  readonly userId: string | null;
}

/** Counts the mails of the last hour by key. A bucket that refills would let twice as many through in its first hour. */
class MailCounts {
  readonly #perHour: number;
  readonly #nodes: () => number;
  readonly #timesByKey = createLru<string, number[]>(SERVER_LIMITS.rateBuckets);

  constructor(perHour: number, nodes: () => number) {
    this.#perHour = perHour;
    this.#nodes = nodes;
  }

  #timesOf(key: string, now: number): number[] {
    return (this.#timesByKey.get(key) ?? []).filter((at) => at > now - HOUR_MS);
  }

  /** @returns the headers and the wait of a refusal; null: one more may be sent */
  check(key: string, now: number) {
    const share = Math.max(1, Math.floor(this.#perHour / this.#nodes()));
    const times = this.#timesOf(key, now);
    const oldest = times.at(-share);
    if (oldest === undefined) return null;
    const retryAfterSeconds = Math.max(1, Math.ceil((oldest + HOUR_MS - now) / 1_000));
    const resetSeconds = Math.max(1, Math.ceil(((times.at(-1) ?? now) + HOUR_MS - now) / 1_000));
    const rate = { perSecond: this.#perHour / 3_600, burst: this.#perHour };
    return {
      retryAfterSeconds,
      headers: rateHeaders(rate, { ok: false, remaining: 0, retryAfterSeconds, resetSeconds }),
    };
  }

  add(key: string, now: number): void {
    this.#timesByKey.set(key, [...this.#timesOf(key, now), now]);
  }
}

/** Why a mail that a request asked for was not sent: too many were, or the mail server did not take it. */
export const toMailRefusal = (error: unknown): Refusal =>
  error instanceof Refusal
    ? error
    : new Refusal("mail_unavailable", { message: "The email could not be sent." }, error);

export type LimitedMailer = ReturnType<typeof limitMails>;

/** @param nodes how many nodes share the limits, this one included */
export function limitMails(mailer: Mailer, nodes: () => number, clock: () => number) {
  const countsOf = (perHour: number) => new MailCounts(perHour, nodes);
  const recipients = countsOf(LIMITS.mailsPerRecipientAndHour);
  const signInLinks = countsOf(LIMITS.mailsPerRecipientAndHour);
  const people = countsOf(LIMITS.mailsPerPersonAndHour);
  const workspaces = countsOf(LIMITS.mailsPerWorkspaceAndHour);

  /** Counts a mail that is within all limits, and none that one of them refuses. */
  function count(limits: readonly { counts: MailCounts; key: string | null; whose: string }[]): void {
    const now = clock();
    for (const { counts, key, whose } of limits) {
      const refused = key === null ? null : counts.check(key, now);
      if (!refused) continue;
      throw new Refusal("rate_limited", {
        message: `Too many emails were sent ${whose} in the last hour.`,
        ...refused,
      });
    }
    for (const { counts, key } of limits) if (key !== null) counts.add(key, now);
  }

  return {
    /**
     * Sends a mail as the mailer does.
     * @throws MailError, or the refusal `rate_limited` when too many were sent
     */
    send: async (mail: Mail, { organizationId, userId }: MailCause, isPatient?: boolean): Promise<void> => {
      count([
        { counts: people, key: userId, whose: "for you" },
        { counts: workspaces, key: organizationId, whose: "for this workspace" },
        { counts: recipients, key: toMailboxKey(mail.to), whose: "to this address" },
      ]);
      await mailer.send(mail, isPatient);
    },
    /** Sends a sign-in link to a confirmed address, whose limit no other mail uses up: nobody keeps its owner from signing in. */
    sendSignInLink: async (mail: Mail): Promise<void> => {
      count([{ counts: signInLinks, key: toMailboxKey(mail.to), whose: "to this address" }]);
      await mailer.send(mail);
    },
    /** Sends a warning about an account: whoever fills the limits must not keep it back. Its caller bounds how many there are. */
    warn: (mail: Mail): Promise<void> => mailer.send(mail),
  };
}
