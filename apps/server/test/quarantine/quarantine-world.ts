/** Sources whose plan or origin refuses events, and replays of what they keep. */
import assert from "node:assert/strict";
import { until } from "../support/until.ts";
import {
  bootstrapBody,
  type ClockedWorld,
  type CreatedSource,
  eventsBody,
  eventsPath,
  fresh,
  ORGANIZATION_ID,
  type TestReply,
  trackEvent,
} from "../support/world.ts";

/** An order needs a price that is a number. */
export const ORDER_PLAN = {
  mode: "reject",
  unknownEvents: "allow",
  events: {
    order: { mode: null, schema: { properties: { price: { type: "number" } }, required: ["price"] } },
  },
};
export const NO_PLAN = { ...ORDER_PLAN, mode: "off" };

export const sourcePath = ({ sourceId }: CreatedSource) => `/api/tracking-sources/${sourceId}`;
export const quarantinePath = (source: CreatedSource) => `${sourcePath(source)}/quarantine`;
const replaysPath = (source: CreatedSource) => `${quarantinePath(source)}/replays`;

export const inQuarantineOf = (world: ClockedWorld) => {
  const ok = (reply: TestReply, status = 200) => {
    assert.equal(reply.status, status, reply.text);
    return reply.body;
  };
  const get = async (path: string) => ok(await world.ask(path));
  const replay = async (source: CreatedSource, body: object = {}) =>
    ok(await world.ask(replaysPath(source), { method: "POST", body }), 202);
  const done = (source: CreatedSource, { replayId }: { replayId: string }) =>
    until("the replay is done", async () => {
      const found = await get(`${replaysPath(source)}/${replayId}`);
      return found.status === "done" ? found : null;
    });
  return {
    patch: async (source: CreatedSource, fields: object) => {
      const body = { organizationId: ORGANIZATION_ID, ...fields };
      return ok(await world.ask(sourcePath(source), { method: "PATCH", body }));
    },
    savePlan: async (source: CreatedSource, plan: object) =>
      ok(await world.ask(`${sourcePath(source)}/plan`, { method: "PUT", body: { plan } })),
    quarantine: (source: CreatedSource) => get(quarantinePath(source)),
    kept: async (source: CreatedSource, query = "") =>
      (await get(`${quarantinePath(source)}/events${query}`)).events,
    /** The groups as `code name events`. */
    groups: async (source: CreatedSource): Promise<string[]> =>
      (await get(quarantinePath(source))).groups.map(
        (group: Record<string, unknown>) => `${group.code} ${group.name} ${group.events}`,
      ),
    test: async (source: CreatedSource, body: object = {}) =>
      ok(await world.ask(`${quarantinePath(source)}/test`, { method: "POST", body })),
    start: replay,
    done,
    /** Replays, and waits until it is done. */
    replay: async (source: CreatedSource, body: object = {}) => done(source, await replay(source, body)),
    switch: (source: CreatedSource, replayId: string, to: "stop" | "resume") =>
      world.ask(`${replaysPath(source)}/${replayId}/${to}`, { method: "POST" }),
    order: (over: Record<string, unknown> = {}) =>
      trackEvent({ id: fresh("order"), name: "order", properties: {}, ...over }, world.now()),
    /** A bootstrap with events. */
    withEvents: (events: object[], over: object = {}) =>
      bootstrapBody({
        batchId: fresh("batch"),
        sentAt: new Date(world.now()).toISOString(),
        events,
        ...over,
      }),
    /** Opens a session, and sends events in it. */
    send: async (source: CreatedSource, events: object[], over: Record<string, unknown> = {}) => {
      const sessionId = await world.openSession(source);
      return world.send(eventsPath(source), eventsBody(sessionId, events, over, world.now()));
    },
  };
};
