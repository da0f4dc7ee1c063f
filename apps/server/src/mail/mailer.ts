/** Sends e-mail through the operator's SMTP server (SMTP_URL, MAIL_FROM). The only module that knows SMTP. */
import { setTimeout as sleep } from "node:timers/promises";
import { createTransport } from "nodemailer";
import type { SmtpServer } from "../config/values.ts";
import { memberOf } from "../core/members.ts";
import { createAdmission } from "../overload/admission.ts";

/** Mails that are sent at once, and with those that wait: the invitations and reports of some minutes. */
const MAX_ACTIVE_MAILS = 2;
const MAX_WAITING_MAILS = 500;
/** To connect, and for each answer of the mail server. */
const MAIL_TIMEOUT_MS = 10_000;
/** Waits between the tries to send a mail. Greylisting servers accept after a minute or more. */
const MAIL_RETRY_MS = [2_000, 30_000, 300_000];
const MAX_MAIL_ANSWER_BYTES = 65_536;

export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The part before the `@` of its Message-ID. Default: a new one. A mail that may be sent twice has the same both times. */
  readonly messageId?: string;
  /** Further headers, such as `List-Unsubscribe`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Mailer {
  /**
   * Resolves when the mail server has taken the mail. Failures that may pass are tried again, unless `isPatient` is false.
   * @throws MailError
   */
  send(mail: Mail, isPatient?: boolean): Promise<void>;
}

interface MailerOptions {
  readonly server: SmtpServer;
  /** MAIL_FROM. */
  readonly from: string;
  readonly newId: (prefix: string) => string;
  /** Waits between the tries of one mail. */
  readonly retryMs?: readonly number[];
}

/** Its message names neither the address nor the credentials, so it can be logged. */
export class MailError extends Error {
  /** Whether another try may succeed. */
  readonly isTransient: boolean;
  constructor(message: string, isTransient: boolean) {
    super(message);
    this.name = "MailError";
    this.isTransient = isTransient;
  }
}

/** Codes of the system for a connection that failed, such as `ECONNREFUSED` and `EAI_AGAIN`. Others are about the certificate. */
const SYSTEM_CODE = /^E(?:AI_)?[A-Z0-9]+$/;

/** Says why the connection could not be encrypted; null: something else has failed. */
function findTlsProblem(error: unknown): string | null {
  if (memberOf(error, "command") === "STARTTLS") {
    const status = memberOf(error, "responseCode");
    return typeof status === "number" ? `it answered ${status} to STARTTLS` : "STARTTLS failed";
  }
  const code = memberOf(error, "originalCode");
  return typeof code === "string" && !SYSTEM_CODE.test(code) ? code : null;
}

/** The server's text is left out: it may repeat the recipient's address. */
function toMailError(error: unknown): MailError {
  const status = memberOf(error, "responseCode");
  const isPassing = typeof status === "number" && status >= 400 && status < 500;
  const tlsProblem = findTlsProblem(error);
  if (tlsProblem !== null)
    return new MailError(
      `no encrypted connection to the mail server at SMTP_URL (${tlsProblem}), so no email was sent; see docs/operate/mail.md`,
      isPassing,
    );
  const code = memberOf(error, "code");
  if (typeof status !== "number")
    return new MailError(`no connection to the mail server (${String(code ?? "unknown error")})`, true);
  const command = memberOf(error, "command");
  const step = typeof command === "string" ? ` to ${command}` : "";
  return new MailError(`the mail server answered ${status}${step}`, isPassing);
}

const openTransport = ({ host, port, tls, login }: SmtpServer) =>
  createTransport({
    host,
    port,
    secure: tls === "start",
    requireTLS: tls === "required",
    ignoreTLS: tls === "off",
    ...(login && { auth: { user: login.user, pass: login.password } }),
    connectionTimeout: MAIL_TIMEOUT_MS,
    greetingTimeout: MAIL_TIMEOUT_MS,
    socketTimeout: MAIL_TIMEOUT_MS,
    dnsTimeout: MAIL_TIMEOUT_MS,
    maxResponseSize: MAX_MAIL_ANSWER_BYTES,
    disableFileAccess: true,
    disableUrlAccess: true,
  });

/** Connects when a mail is sent, not before. */
export function createMailer(options: MailerOptions): Mailer {
  const { server, from, newId, retryMs = MAIL_RETRY_MS } = options;
  const transport = openTransport(server);
  const slots = createAdmission({
    maxActive: MAX_ACTIVE_MAILS,
    maxAdmitted: MAX_WAITING_MAILS,
  });

  async function sendOnce({ to, headers, subject, text, html }: Mail, messageId: string): Promise<void> {
    await transport.sendMail({
      subject,
      text,
      html,
      from,
      // a string could be several addresses
      to: { name: "", address: to },
      messageId,
      headers: { "Auto-Submitted": "auto-generated", ...headers },
    });
  }

  async function sendPatiently(mail: Mail, waitsMs: readonly number[]): Promise<void> {
    // the same for each try, so that a mail that arrives twice can be recognized
    const messageId = `<${mail.messageId ?? newId("mail")}@headwater.invalid>`;
    for (let tries = 0; ; tries += 1) {
      try {
        return await sendOnce(mail, messageId);
      } catch (error) {
        const failure = toMailError(error);
        const waitMs = waitsMs[tries];
        if (!failure.isTransient || waitMs === undefined) throw failure;
        await sleep(waitMs, undefined, { ref: false });
      }
    }
  }

  return {
    send: async (mail, isPatient = true) => {
      const release = slots.tryEnter("mail") ?? (await slots.enter("mail").catch(() => null));
      if (!release) throw new MailError("too many emails are waiting to be sent", true);
      try {
        await sendPatiently(mail, isPatient ? retryMs : []);
      } finally {
        release();
      }
    },
  };
}
