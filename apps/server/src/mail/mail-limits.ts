/**
 * How many mails leave the service: to one address, for one person and for one workspace, all kinds of mail together. So nobody
 * can flood a mailbox, whatever the mails are about and however often what they are about is deleted.
 */
import { LIMITS } from "@headwater/contract/limits";
import { SERVER_LIMITS } from "../core/limits.ts";
import { createRateLimiter, rateHeaders } from "../core/rate-limit.ts";
import { Refusal } from "../core/refusal.ts";
import type { Mail, Mailer } from "./mailer.ts";

/** Who has the mail sent. */
export interface MailCause {
  /** null: the mail is about an account. */
  readonly organizationId: string | null;
  /** null: nobody who is known, such as for a sign-in link, or a report that was due. */
  readonly userId: string | null;
}

/** The addresses of one mailbox have one key: providers ignore what follows a `+`, and some ignore dots. */
function mailboxOf(address: string): string {
  const at = address.lastIndexOf("@");
  const [name = ""] = address.slice(0, at).split("+");
  return `${name.replaceAll(".", "")}${address.slice(at)}`.toLowerCase();
}

export interface LimitedMailer {
  /**
   * Sends a mail as the mailer does.
   * @throws MailError, or the refusal `rate_limited` when too many were sent
   */
  send(mail: Mail, cause: MailCause, isPatient?: boolean): Promise<void>;
  /** Sends a warning about an account: whoever fills the limits must not keep it back. Its caller bounds how many there are. */
  warn(mail: Mail): Promise<void>;
}

/** Why a mail that a request asked for was not sent: too many were, or the mail server did not take it. */
export const toMailRefusal = (error: unknown): Refusal =>
  error instanceof Refusal
    ? error
    : new Refusal("mail_unavailable", { message: "The mail could not be sent." }, error);

/** @param nodes how many nodes share the limits, this one included */
export function limitMails(mailer: Mailer, nodes: () => number, clock: () => number): LimitedMailer {
  const perHour = (mails: number) =>
    createRateLimiter({ perSecond: mails / 3_600, burst: mails, nodes, maxKeys: SERVER_LIMITS.rateBuckets });
  const recipients = perHour(LIMITS.mailsPerRecipientAndHour);
  const people = perHour(LIMITS.mailsPerPersonAndHour);
  const workspaces = perHour(LIMITS.mailsPerWorkspaceAndHour);

  function count(to: string, { organizationId, userId }: MailCause): void {
    const counts = [
      { limiter: people, key: userId, whose: "for you" },
      { limiter: workspaces, key: organizationId, whose: "for this workspace" },
      { limiter: recipients, key: mailboxOf(to), whose: "to this address" },
    ];
    for (const { limiter, key, whose } of counts) {
      const taken = key === null ? null : limiter.take(key, clock());
      if (!taken || taken.ok) continue;
      const message = `Too many mails were sent ${whose} in the last hour.`;
      const { retryAfterSeconds } = taken;
      const headers = rateHeaders(limiter.rate, taken);
      throw new Refusal("rate_limited", { message, retryAfterSeconds, headers });
    }
  }

  return {
    send: async (mail, cause, isPatient) => {
      count(mail.to, cause);
      await mailer.send(mail, isPatient);
    },
    warn: (mail) => mailer.send(mail),
  };
}
