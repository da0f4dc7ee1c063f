/** The curl example: one page view, sent from a shell. */
import { shellLiteral } from "../escape.ts";
import type { SnippetOptions } from "./browser.ts";

interface CurlSource {
  readonly allowedOrigins?: readonly string[];
  readonly requireOrigin?: boolean;
}

/** An origin that the source allows. null: the source accepts requests without one. */
function exampleOrigin({ allowedOrigins = [], requireOrigin = true }: CurlSource): string | null {
  if (!requireOrigin) return null;
  const [first = "https://www.example.com"] = allowedOrigins;
  if (first === "*") return null;
  return first.replace("://*.", "://www.").replace(/:\*$/, first.startsWith("http://") ? ":3000" : "");
}

/** Each run of the command sends an event with a new id. */
export function curlExample({ publicKey, apiBaseUrl }: SnippetOptions, source: CurlSource): string {
  const origin = exampleOrigin(source);
  const url = `${apiBaseUrl}/api/ingest/v2/${encodeURIComponent(publicKey)}/bootstrap`;
  const header = origin === null ? "" : ` \\\n  -H ${shellLiteral(`Origin: ${origin}`)}`;
  const page = JSON.stringify(`${origin ?? "https://www.example.com"}/`);
  return `# Sends one page view, as a browser would. If the response contains "accepted":1, the event is stored.
# With HEADWATER_TOKEN, a token with the scope "ingest" for this source, it is an event of a server.
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
