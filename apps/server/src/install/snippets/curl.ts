/** The curl example: one page view, sent from a shell. */
import { SOURCE_DEFAULTS } from "@headwater/contract";
import { shellLiteral } from "../../core/text.ts";
import type { SnippetOptions } from "./browser.ts";

interface CurlSource {
  readonly allowedOrigins?: readonly string[];
  readonly requireOrigin?: boolean;
}

const ANY_ORIGIN = "https://www.example.com";

/** An origin that the source allows. */
function exampleOrigin(allowedOrigins: readonly string[]): string {
  const [first = ANY_ORIGIN] = allowedOrigins;
  if (first === "*") return ANY_ORIGIN;
  return first.replace("://*.", "://www.").replace(/:\*$/, first.startsWith("http://") ? ":3000" : "");
}

/** With an origin the request is a page's. With curl's own user agent it would count as a bot. */
const pageOptions = (origin: string): string =>
  ` \\\n  -H ${shellLiteral(`Origin: ${origin}`)} -A 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'`;

/** Each run of the command sends an event with a new id. */
export function curlExample(
  { publicKey, apiBaseUrl }: SnippetOptions,
  { allowedOrigins = [], requireOrigin = SOURCE_DEFAULTS.requireOrigin }: CurlSource,
): string {
  const origin = exampleOrigin(allowedOrigins);
  const url = `${apiBaseUrl}/api/ingest/v2/${encodeURIComponent(publicKey)}/bootstrap`;
  const header = requireOrigin ? pageOptions(origin) : "";
  const page = JSON.stringify(`${origin}/`);
  return `# Sends one page view. If the response contains "accepted":1, the event is stored and counted.
# With HEADWATER_TOKEN, a token with the "ingest" scope for this source, nobody else can use its id.
NOW=$(date -u +%Y-%m-%dT%H:%M:%SZ)
ID=$(date +%s)-$$
curl -sS ${shellLiteral(url)}${header} \\
  \${HEADWATER_TOKEN:+-H "Authorization: Bearer $HEADWATER_TOKEN"} \\
  -H 'Content-Type: application/json' --data-binary @- <<EOF
{
  "ingestVersion": 2, "sdkVersion": "curl", "anonymousId": "curl-$ID",
  "page": { "url": ${hereDocument(page)} },
  "batchId": "batch-$ID", "sentAt": "$NOW",
  "events": [
    { "id": "event-$ID", "type": "page", "timestamp": "$NOW", "page": { "url": ${hereDocument(page)} } }
  ]
}
EOF
`;
}

/** Escapes the three characters that the shell interprets in a here-document. */
const hereDocument = (text: string): string => text.replace(/[\\$`]/g, "\\$&");
