/** The example for servers with Node.js. */
import { stringLiteral } from "../escape.ts";
import type { SnippetOptions } from "./browser.ts";

export const nodeExample = ({ publicKey, apiBaseUrl }: SnippetOptions): string => {
  const url = `${apiBaseUrl}/api/ingest/v2/${encodeURIComponent(publicKey)}/bootstrap`;
  return `// headwater.mjs
// Sends an event from a server:
//   await track("order_paid", { total: 12 }, { id: "order:1", userId: "user-42" });
// An event with the same id counts once: use the id of the order or of the webhook delivery.
// \`HEADWATER_TOKEN\` is a token with the "ingest" scope for this source.
// Create it on the console's Tokens page, and keep it on the server.
export async function track(name, properties, { id, userId }) {
  const token = process.env.HEADWATER_TOKEN;
  if (!token) throw new Error("HEADWATER_TOKEN is not set.");
  const now = new Date().toISOString();
  const response = await fetch(${stringLiteral(url)}, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Authorization: \`Bearer \${token}\`,
    },
    body: JSON.stringify({
      ingestVersion: 2,
      sdkVersion: "node",
      anonymousId: \`user:\${userId}\`,
      userId,
      page: {},
      batchId: id,
      sentAt: now,
      events: [{ id, type: "track", name, timestamp: now, properties }],
    }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(\`\${answer.message} \${answer.hint}\`);
  return answer.results[0].status; // "accepted", "duplicate" or "rejected"
}
`;
};
