/** The text that `headwater serve` prints when it has started. */
import type { RunningServer } from "../../server.ts";

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
curl -s ${url}/api/ingest/v2/$KEY/bootstrap -H 'Origin: ${ORIGIN}' ${JSON_HEADER} \\
  -d '${visit}'`;
}

export function welcome(
  { url, firstStart }: Pick<RunningServer, "url" | "firstStart">,
  organizationId: string,
): string {
  const address = `Headwater is listening on ${url}`;
  if (!firstStart) return address;
  const { token, signInUrl } = firstStart;
  const owner =
    token === null
      ? "The owner's token is the value of OWNER_TOKEN."
      : `The owner's token. It is not shown again, so store it now:\n\n  ${token}`;
  const signIn = signInUrl.includes("#code=")
    ? `Sign in to the console with this link. It works once, within 10 minutes:\n\n  ${signInUrl}`
    : `Sign in to the console with that token: ${signInUrl}`;
  return `
${address}

${owner}

${signIn}

To create a source and send a first page view, run:

${firstPageView(url, organizationId, token ?? "$OWNER_TOKEN")}
`;
}
