/** A real SMTP server on this machine that keeps what it receives. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

interface ReceivedMail {
  from: string;
  to: string[];
  /** By lower-case name. */
  headers: Map<string, string>;
  /** The part text/plain. */
  text: string;
  /** The part text/html. */
  html: string;
}

export interface MailServer extends AsyncDisposable {
  /** For SMTP_URL. */
  url: string;
  received: ReceivedMail[];
  /** Resolves with the next mail that nobody has taken yet. */
  next(): Promise<ReceivedMail>;
  /** Answers the next messages with these status codes instead of taking them. */
  refuse(...codes: number[]): void;
}

/** The failure of an SMTP command or message. */
interface SmtpFailure extends Error {
  responseCode: number;
}

function splitPart(part: string): { headers: Map<string, string>; body: string } {
  const [head = "", ...rest] = part.split("\r\n\r\n");
  const lines = head.replace(/\r\n[ \t]+/g, " ").split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { headers: new Map(headers), body: rest.join("\r\n\r\n") };
}

function decode(body: string, encoding: string | undefined): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString();
  if (encoding !== "quoted-printable") return body;
  const bytes = body
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}

function partsOf(message: string): Map<string, string> {
  const { headers, body } = splitPart(message);
  const type = headers.get("content-type") ?? "text/plain";
  const boundary = /boundary="?([^";]+)/.exec(type)?.[1];
  if (boundary === undefined) {
    const name = type.split(";", 1)[0] ?? type;
    return new Map([[name, decode(body, headers.get("content-transfer-encoding"))]]);
  }
  const parts = body.split(`--${boundary}`).slice(1, -1);
  return new Map(parts.flatMap((part) => [...partsOf(part.replace(/^\r\n/, ""))]));
}

/** Key and certificate of a server that offers STARTTLS. */
export interface MailCertificate {
  readonly key: string;
  readonly cert: string;
}

/**
 * @param password the password of the user `headwater`; null: no login is needed
 * @param certificate null: no STARTTLS
 */
export async function startMailServer(
  password: string | null = null,
  certificate: MailCertificate | null = null,
): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const refusals: number[] = [];
  let taken = 0;
  const arrivals = new EventTarget();
  const server = new SMTPServer({
    logger: false,
    ...(certificate ?? { disabledCommands: ["STARTTLS"] }),
    authOptional: password === null,
    onAuth: ({ username, password: given }, _session, done) =>
      username === "headwater" && given === password
        ? done(null, { user: username })
        : done(Object.assign(new Error("wrong password"), { responseCode: 535 })),
    onData: (stream, session, done) => {
      void stream.toArray().then((chunks) => {
        const code = refusals.shift();
        if (code !== undefined) {
          const failure: SmtpFailure = Object.assign(new Error("not now"), { responseCode: code });
          return done(failure);
        }
        const message = Buffer.concat(chunks).toString("latin1");
        const parts = partsOf(message);
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          headers: splitPart(message).headers,
          text: parts.get("text/plain") ?? "",
          html: parts.get("text/html") ?? "",
        });
        done();
        arrivals.dispatchEvent(new Event("mail"));
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  const login = password === null ? "" : `headwater:${encodeURIComponent(password)}@`;
  return {
    url: `smtp://${login}127.0.0.1:${port}`,
    received,
    next: async () => {
      for (;;) {
        const mail = received[taken];
        if (mail) {
          taken += 1;
          return mail;
        }
        await once(arrivals, "mail");
      }
    },
    refuse: (...codes) => void refusals.push(...codes),
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
