/** The data of the main job: a source, a session with a page view, an event, the debug view, a query. */
declare global {
  var process: { env: Record<string, string | undefined> };
}
export const API_URL = globalThis.process.env.API_URL ?? "";
export const TOKEN = globalThis.process.env.TOKEN ?? "";
export const ORIGIN = "https://shop.example";
export const organizationId = "org_default";

const at = () => new Date().toISOString();
const batch = () => ({ batchId: crypto.randomUUID(), sentAt: at() });

export const newSource = (name: string) => ({ organizationId, name, allowedOrigins: [ORIGIN] });

export const newSession = () => ({
  ingestVersion: 2 as const,
  sdkVersion: "generated/1.0",
  anonymousId: "visitor-1",
  page: { url: `${ORIGIN}/` },
  context: { userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" },
});

export const newEvents = (sessionId: string) => ({
  ingestVersion: 2 as const,
  sdkVersion: "generated/1.0",
  ...batch(),
  sessionId,
  anonymousId: "visitor-1",
  events: [
    { id: crypto.randomUUID(), type: "track", name: "signup", timestamp: at(), properties: { plan: "pro" } },
  ],
});

export const newQuery = (sourceId: string) => ({
  sourceId,
  dateRange: "7d",
  metrics: ["visitors", "events"],
  filters: [{ not: { dimension: "event", operator: "is" as const, value: "page_view" } }],
});
