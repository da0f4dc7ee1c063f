/** Segments, funnels and annotations that members save for the stats of a source (docs/api/reports.md). */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { LIMITS, type SavedItem } from "@headwater/contract";
import { issuesOf, ORGANIZATION_ID, openWorld, refused, type TestSource } from "../support/world.ts";

const world = await openWorld();
after(() => world.close());

const pathOf = ({ sourceId }: TestSource) => `/api/tracking-sources/${sourceId}/saved`;
const FILTERS = [{ dimension: "country", operator: "is", value: "DE" }];
const segment = (over: object = {}) => ({ kind: "segment", name: "Germany", filters: FILTERS, ...over });
const save = (source: TestSource, body: object, token?: string) =>
  world.ask(pathOf(source), { method: "POST", body, ...(token ? { token } : {}) });
const remove = (source: TestSource, savedId: string, token?: string) =>
  world.ask(`${pathOf(source)}/${savedId}`, { method: "DELETE", ...(token ? { token } : {}) });
async function namesOf(source: TestSource, token?: string): Promise<string[]> {
  const { body } = await world.ask(pathOf(source), token ? { token } : {});
  return body.items.map(({ name }: SavedItem) => name);
}

describe("Saved items", () => {
  it("are segments, funnels and annotations, and are answered as they were saved", async () => {
    const source = await world.createSource();
    const steps = [{ page: "/pricing" }, { event: "signup" }];
    const bodies = [
      segment({ shared: true }),
      { kind: "funnel", name: " Sign-up ", steps, windowSeconds: 3_600 },
      { kind: "annotation", name: "Launch 🚀", day: "2026-11-21", shared: true },
    ];
    const saved: SavedItem[] = [];
    for (const body of bodies) {
      const reply = await save(source, body);
      assert.equal(reply.status, 201, JSON.stringify(reply.body));
      saved.push(reply.body);
    }
    const userId = await world.ownerId();
    const none = { filters: null, steps: null, windowSeconds: null, day: null };
    const expected = [
      { kind: "segment", name: "Germany", shared: true, ...none, filters: FILTERS },
      { kind: "funnel", name: "Sign-up", shared: false, ...none, steps, windowSeconds: 3_600 },
      { kind: "annotation", name: "Launch 🚀", shared: true, ...none, day: "2026-11-21" },
    ];
    assert.deepEqual(
      saved,
      expected.map((one, at) => ({
        ...one,
        userId,
        savedId: saved[at]?.savedId,
        createdAt: saved[at]?.createdAt,
      })),
    );
    assert.deepEqual((await world.ask(pathOf(source))).body.items, saved);
    assert.equal((await remove(source, saved[0]?.savedId ?? "")).status, 200);
    assert.deepEqual(await namesOf(source), ["Sign-up", "Launch 🚀"]);
    refused(await remove(source, saved[0]?.savedId ?? ""), 404, "saved_item_not_found");
  });

  it("are personal unless they are shared, which needs sources:write", async () => {
    const source = await world.createSource();
    const [viewer, developer] = [
      await world.serviceAccount("viewer"),
      await world.serviceAccount("developer"),
    ];
    const own = await save(source, segment({ name: "Mine" }), viewer.token);
    assert.equal(own.status, 201);
    refused(await save(source, segment({ shared: true }), viewer.token), 403, "permission_denied");
    const shared = await save(source, segment({ name: "Ours", shared: true }), developer.token);
    assert.deepEqual(await namesOf(source, viewer.token), ["Mine", "Ours"]);
    assert.deepEqual(await namesOf(source), ["Ours"]);
    refused(await remove(source, own.body.savedId), 404, "saved_item_not_found");
    refused(await remove(source, shared.body.savedId, viewer.token), 403, "permission_denied");
    assert.equal((await remove(source, shared.body.savedId)).status, 200);
    assert.equal((await remove(source, own.body.savedId, viewer.token)).status, 200);
  });

  it("are not seen with a link to shared stats, nor by another workspace or source", async () => {
    const [source, other] = [await world.createSource(), await world.createSource()];
    const { savedId } = (await save(source, segment({ shared: true }))).body;
    const link = {
      organizationId: ORGANIZATION_ID,
      label: "Link",
      scope: "stats",
      sourceId: source.sourceId,
    };
    const { token } = (await world.ask("/api/tokens", { method: "POST", body: link })).body;
    refused(await world.ask(pathOf(source), { token }), 403, "permission_denied");
    const strangers = await world.strangers();
    refused(await world.ask(pathOf(source), { token: strangers.token }), 403, "not_a_member");
    refused(await remove(other, savedId), 404, "saved_item_not_found");
  });

  it("in the audit log are those that are shared", async () => {
    const source = await world.createSource();
    await save(source, segment({ name: "Mine" }));
    const { savedId } = (await save(source, segment({ shared: true }))).body;
    await remove(source, savedId);
    const { body } = await world.ask(`/api/audit?organizationId=${ORGANIZATION_ID}&limit=20`);
    const own = body.entries.filter(({ target }: { target: string }) => target === source.sourceId);
    const texts = own.map(({ action, before, after }: Record<string, unknown>) => [action, before, after]);
    const item = { savedId, kind: "segment", name: "Germany" };
    assert.deepEqual(texts.slice(0, 2), [
      ["source.saved_item_deleted", item, null],
      ["source.saved_item_created", null, item],
    ]);
    assert.equal(texts[2][0], "source.created");
  });

  it("have the members of their kind, and filters that a query could have", async () => {
    const source = await world.createSource({ pathRules: { removeTrailingSlash: true } });
    const wrong: [object, string[]][] = [
      // no path ends with a slash
      [
        { kind: "funnel", name: "A", steps: [{ page: "/cart" }, { page: "/thanks/" }] },
        ["steps.1.page: invalid_value"],
      ],
      [{ kind: "segment", name: "A" }, ["filters: required"]],
      [segment({ day: "2026-11-21" }), ["day: invalid_value"]],
      [segment({ windowSeconds: 5 }), ["windowSeconds: invalid_value"]],
      [{ kind: "annotation", name: "A" }, ["day: required"]],
      [{ kind: "annotation", name: "A", day: "2026-02-31" }, ["day: invalid_value"]],
      [{ kind: "funnel", name: "A", steps: [{ event: "a" }] }, ["steps: too_short"]],
      [segment({ name: "  " }), ["name: too_short"]],
      [
        segment({ filters: [{ dimension: "page", operator: "gt", value: "a" }] }),
        ["filters.0: invalid_value"],
      ],
    ];
    for (const [body, issues] of wrong) assert.deepEqual(issuesOf(await save(source, body)), issues);
    assert.deepEqual(await namesOf(source), []);
  });

  it("are bounded, and go with their source", async () => {
    const source = await world.createSource();
    const long = Array.from({ length: 10 }, () => ({ ...FILTERS[0], value: "x".repeat(1_000) }));
    assert.deepEqual(issuesOf(await save(source, segment({ filters: long }))), ["filters: too_long"]);
    for (let index = 0; index < LIMITS.maxSavedItems; index += 1) await save(source, segment());
    refused(await save(source, segment()), 409, "too_many_saved_items");
    await world.ask(`/api/tracking-sources/${source.sourceId}`, { method: "DELETE" });
    refused(await world.ask(pathOf(source)), 404, "source_not_found");
  });
});
