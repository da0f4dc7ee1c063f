/** What `headwater serve` says to the person who started it. */
import type { RunningServer } from "../server.ts";

const ORIGIN = "http://localhost:3000";
const JSON_HEADER = "-H 'Content-Type: application/json'";

/** Two commands that work when they are pasted: the first keeps the public key that the second sends to. */
function tryIt(url: string, organizationId: string, token: string): string {
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
  const address = `Headwater listens on ${url}`;
  if (!firstStart) return address;
  const { token, signInUrl } = firstStart;
  const owner =
    token === null
      ? "The owner's token is OWNER_TOKEN."
      : `The owner's token, shown this once:\n\n  ${token}`;
  return `
${address}

${owner}

Sign in to the console, once and within 10 minutes:

  ${signInUrl}

Send it a first page view:

${tryIt(url, organizationId, token ?? "$OWNER_TOKEN")}
`;
}
