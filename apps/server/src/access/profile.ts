/** People's profiles, their confirmed e-mail addresses and their sessions (docs/contract.md section 13). */
import type { Handler } from "../core/handler.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { toIsoTime, toIsoTimeOrNull } from "../core/time.ts";
import { hashToken } from "../core/token.ts";
import type { Catalog } from "../ledger/ledger.ts";
import type { LimitedMailer } from "../mail/mail-limits.ts";
import { idleEndOf } from "./authenticate.ts";
import { makeCode } from "./first-start.ts";
import { confirmationMail } from "./mails.ts";
import { readName } from "./names.ts";

export const getProfile =
  (catalog: Catalog): Handler<"getProfile"> =>
  async ({ actor: { userId } }) => ({ body: await catalog.profile({ userId }) });

export const updateProfile =
  (catalog: Catalog): Handler<"updateProfile"> =>
  async ({ actor, body: { name, ...preferences }, now }) => {
    const { userId } = actor;
    const named = name === undefined ? {} : { name: name === null ? null : readName("name", name) };
    return {
      body: await catalog.updateProfile({ userId, actor, now, change: { ...preferences, ...named } }),
    };
  };

/** Why a mail that a request asked for was not sent: too many were, or the mail server did not take it. */
export const toMailRefusal = (error: unknown): Refusal =>
  error instanceof Refusal
    ? error
    : new Refusal("mail_unavailable", { message: "The mail could not be sent." }, error);

export interface AccountMailDeps {
  readonly catalog: Catalog;
  /** null: no SMTP_URL. */
  readonly mailer: LimitedMailer | null;
  /** The console's address. */
  readonly appUrl: () => string;
}

export const requestEmail =
  ({ catalog, mailer, appUrl }: AccountMailDeps): Handler<"requestEmail"> =>
  async ({ actor: { userId }, body: { email }, now }) => {
    if (!mailer) throw new Refusal("mail_unavailable", { message: "This service has no mail server." });
    const { code, codeHash } = makeCode();
    const expiresAt = now + SERVER_LIMITS.emailCodeMs;
    const maxOpen = SERVER_LIMITS.maxSignInLinks;
    const isMade = await catalog.createSignInCode({ codeHash, userId, expiresAt, now, email, maxOpen });
    if (!isMade)
      throw new Refusal("mail_unavailable", {
        message: "Too many links were sent to you already.",
        hint: "Open the latest mail, or wait an hour.",
      });
    const url = `${appUrl()}/profile#code=${code}`;
    const cause = { organizationId: null, userId };
    await mailer.send(confirmationMail(email, url), cause, false).catch((error: unknown) => {
      throw toMailRefusal(error);
    });
    return { body: { requested: true } };
  };

export const confirmEmail =
  (catalog: Catalog): Handler<"confirmEmail"> =>
  async ({ actor, body, now }) => {
    const { userId } = actor;
    const confirmed = await catalog.confirmEmail({ codeHash: hashToken(body.code), userId, actor, now });
    if (confirmed === "unknown") throw new Refusal("invalid_code");
    if (confirmed === "taken") throw new Refusal("email_taken");
    return { body: confirmed };
  };

/** @param idleMs how long a session lives without a request */
export const listSessions =
  (catalog: Catalog, idleMs: number): Handler<"listSessions"> =>
  async ({ actor: { userId, tokenId: current }, now }) => {
    const found = await catalog.sessions({ userId, now });
    const sessions = found
      // this request uses it, which the ledger may not know yet
      .map((session) => (session.tokenId === current ? { ...session, lastUsedAt: now } : session))
      .filter((session) => idleEndOf(session, idleMs) > now)
      .map((session) => ({
        tokenId: session.tokenId,
        isCurrent: session.tokenId === current,
        createdAt: toIsoTime(session.createdAt),
        lastUsedAt: toIsoTimeOrNull(session.lastUsedAt),
        expiresAt: toIsoTime(
          Math.min(session.expiresAt ?? Number.POSITIVE_INFINITY, idleEndOf(session, idleMs)),
        ),
      }));
    return { body: { sessions } };
  };

export const endSession =
  (catalog: Catalog): Handler<"endSession"> =>
  async ({ actor, params: { tokenId }, now }) => {
    const found = await catalog.sessions({ userId: actor.userId, now });
    if (!found.some((session) => session.tokenId === tokenId)) throw new Refusal("token_not_found");
    await catalog.revokeToken({ tokenId, actor, now });
    return { body: { tokenId, endedAt: toIsoTime(now) } };
  };
