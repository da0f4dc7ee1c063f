import { shellLiteral } from "../escape.ts";
import type { SnippetOptions } from "./browser.ts";

interface Allowed {
  readonly allowedOrigins?: readonly string[];
  readonly requireOrigin?: boolean;
}

/** An origin that a pattern lets in; null where none has to be sent. */
function exampleOrigin({ allowedOrigins = [], requireOrigin = true }: Allowed): string | null {
  if (!requireOrigin) return null;
  const [first = "https://www.example.com"] = allowedOrigins;
  if (first === "*") return null;
  return first.replace("://*.", "://www.").replace(/:\*$/, first.startsWith("http://") ? ":3000" : "");
}

/** One page view by one request; each run sends an event with an id of its own. */
export function curlExample({ publicKey, apiBaseUrl }: SnippetOptions, allowed: Allowed): string {
  const origin = exampleOrigin(allowed);
  const url = `${apiBaseUrl}/api/ingest/v2/${encodeURIComponent(publicKey)}/bootstrap`;
  const header = origin === null ? "" : ` \\\n  -H ${shellLiteral(`Origin: ${origin}`)}`;
  const page = JSON.stringify(`${origin ?? "https://www.example.com"}/`);
  return `# One page view, as a browser would send it. "accepted":1 in the answer: it is stored.
NOW=$(date -u +%Y-%m-%dT%H:%M:%SZ)
ID=$(date +%s)-$$
curl -sS ${shellLiteral(url)}${header} \\
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

/** In a here-document these three mean something to the shell. */
const hereDocument = (text: string): string => text.replace(/[\\$`]/g, "\\$&");
