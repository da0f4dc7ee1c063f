/** What data of version 0.1.0 must still be and do after this version has opened it. `make-fixture.ts` made the data. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { BROWSER, openWorld, type World } from "../support/world.ts";

export interface OldData {
  madeAt: number;
  source: { sourceId: string; publicKey: string; [field: string]: unknown };
  /** A token of the owner, beside OWNER_TOKEN. */
  token: string;
  sessionId: string;
  /** The body of a request, and its results. */
  batch: { events: { id: string; timestamp: string }[]; [field: string]: unknown };
  results: { eventId: string; status: string; analyticsEventId: string }[];
  /** As the export lists them. */
  eventIds: string[];
  attemptIds: string[];
  /** The answer to a query by day. null: there is no warehouse. */
  stats: { from: string; to: string; results: unknown } | null;
}

export const fixture = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
export const readOldData = (name: string): OldData =>
  JSON.parse(readFileSync(fixture(`${name}.json`), "utf8"));

/** Opens the data a minute after it was made. */
export const openOld = (old: OldData, settings: Record<string, string>, dataDir?: string): Promise<World> =>
  openWorld(settings, { clock: () => old.madeAt + 60_000 }, dataDir);

/** Sources, tokens, attempts, events, sessions and deduplication keys. */
export async function checkOldData(world: World, old: OldData): Promise<void> {
  const { sourceId, publicKey } = old.source;
  const source = (await world.ask(`/api/tracking-sources/${sourceId}`)).body;
  for (const field of ["name", "slug", "publicKey", "allowedOrigins", "isActive", "createdAt"])
    assert.deepEqual(source[field], old.source[field], field);
  assert.equal(source.queryParameters, "all");
  const { organizations } = (await world.ask("/api/organizations", { token: old.token })).body;
  assert.deepEqual([organizations[0].organizationId, organizations[0].role], ["org_default", "owner"]);

  const { eventAttempts, bootstrapAttempts } = (await world.ask(`/api/tracking-sources/${sourceId}/debug`))
    .body;
  assert.deepEqual(
    [...eventAttempts, ...bootstrapAttempts].map(({ attemptId }: { attemptId: string }) => attemptId),
    old.attemptIds,
  );
  const exported = await world.ask(`/api/export/events?sourceId=${sourceId}`);
  const ids = exported.text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).analyticsEventId);
  assert.deepEqual(ids.toSorted(), old.eventIds.toSorted());

  const path = `/api/ingest/v2/${publicKey}/events`;
  const browser = { origin: "https://shop.example", "user-agent": BROWSER };
  const retried = await world.send(path, old.batch, browser);
  assert.deepEqual(
    retried.body.results.map(({ eventId, status, analyticsEventId }: OldData["results"][number]) => [
      eventId,
      status,
      analyticsEventId,
    ]),
    old.results.map(({ eventId, analyticsEventId }) => [eventId, "duplicate", analyticsEventId]),
  );
  const [event] = old.batch.events;
  const further = { ...old.batch, batchId: "after-upgrade", events: [{ ...event, id: "after-upgrade" }] };
  const continued = await world.send(path, further, browser);
  assert.equal(continued.body.accepted, 1, continued.text);
  assert.deepEqual(world.logged, []);
}
