/** The text that `headwater serve` prints when it has started. */
import type { RunningServer } from "../../server.ts";

type StartedService = Pick<RunningServer, "url" | "signInUrl" | "firstStart">;

const ORIGIN = "http://localhost:3000";
const JSON_HEADER = "-H 'Content-Type: application/json'";

/** Two shell commands: the first creates a source and keeps its public key, the second sends a page view to it. */
function firstPageView(url: string, organizationId: string, token: string): string {
  const source = JSON.stringify({ organizationId, name: "Try it", allowedOrigins: [ORIGIN] });
  const page = { url: `${ORIGIN}/`, title: "Hello" };
  const time = "'$(date -u +%Y-%m-%dT%H:%M:%SZ)'";
  const visit = JSON.stringify({
    ingestVersion: 2,
    sdkVersion: "curl",
    anonymousId: "visitor-1",
    batchId: "batch-1",
    sentAt: time,
    page,
    events: [{ id: "event-1", type: "page", timestamp: time, page }],
  });
  return `KEY=$(curl -s ${url}/api/tracking-sources -H "Authorization: Bearer ${token}" ${JSON_HEADER} \\
  -d '${source}' | sed 's/.*"publicKey":"\\([^"]*\\)".*/\\1/')
curl -s ${url}/api/ingest/v2/$KEY/bootstrap ${JSON_HEADER} \\
  -d '${visit}'`;
}

const LINK_COMMAND = "`headwater sign-in` prints a link that signs in without a token.";

const TOKEN_COMMAND = "`headwater token create --owner` prints an access token for programs.";

/** How to sign in, which every start says. */
function signInText({ signInUrl, firstStart }: StartedService): string {
  if (!firstStart) return `Sign in to the console at ${signInUrl}. ${LINK_COMMAND}`;
  if (!firstStart.signInUrl.includes("#"))
    return `Sign in to the console at ${signInUrl} with the owner's token, the value of OWNER_TOKEN.\n${LINK_COMMAND}`;
  return `Sign in to the console with this link. It works once, within 10 minutes; \`headwater sign-in\` prints another one:

  ${firstStart.signInUrl}
`;
}

/** For a person at a terminal. A journal would keep the token. */
const tokenText = (url: string, organizationId: string, token: string) => `
The owner's token, for programs. It is not shown again, so store it now:

  ${token}

To create a source and send a first page view, run:

${firstPageView(url, organizationId, token)}
`;

export function welcome(started: StartedService, organizationId: string): string {
  const { url, firstStart } = started;
  const text = `Headwater is listening on ${url}\n${firstStart ? "\n" : ""}${signInText(started)}`;
  if (!firstStart) return text;
  const { token } = firstStart;
  return token === null
    ? `\n${text}\n${TOKEN_COMMAND}\n`
    : `\n${text}${tokenText(url, organizationId, token)}`;
}
