import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  eventsBody,
  eventsPath,
  ORGANIZATION_ID,
  OWNER_TOKEN,
  openWorld,
  trackEvent,
} from "../support/world.ts";

describe("GET /api/support: the bundle to attach to a bug report, for one workspace", () => {
  it("names every setting, and contains no secret and no file path", async () => {
    await using world = await openWorld();
    const { status, body } = await world.ask(`/api/support?organizationId=${ORGANIZATION_ID}`);
    assert.equal(status, 200);
    const { DATA_DIR, OWNER_TOKEN: token, PORT, GEOIP_FILE } = body.settings;
    assert.deepEqual([DATA_DIR, token, PORT, GEOIP_FILE], ["(set)", "(set)", "0", ""]);
    assert.ok(body.changedSettings.includes("DATA_DIR") && !body.changedSettings.includes("GEOIP_FILE"));
    const text = JSON.stringify(body);
    for (const hidden of [world.dataDir, OWNER_TOKEN]) assert.ok(!text.includes(hidden), hidden);
  });

  it("has settings and details of the machine for operators only: owners of the first workspace", async () => {
    await using world = await openWorld();
    const limited = (over: object) => ({ organizationId: ORGANIZATION_ID, label: "t", ...over });
    const made = async (body: object) =>
      (await world.ask("/api/tokens", { method: "POST", body })).body.token as string;
    const stranger = await world.strangers();
    const others = [
      { of: ORGANIZATION_ID, token: (await world.serviceAccount("admin")).token },
      { of: stranger.organizationId, token: stranger.token },
    ];
    for (const { of, token } of others) {
      const { status, body } = await world.ask(`/api/support?organizationId=${of}`, { token });
      assert.deepEqual([status, body.isOperator, body.settings, body.health.problems], [200, false, {}, []]);
      assert.deepEqual(body.changedSettings, []);
      assert.deepEqual(Object.keys(body.bundle).sort(), [
        "commit",
        "generatedAt",
        "health",
        "isModified",
        "settings",
        "version",
      ]);
    }
    const owners = [await made(limited({})), (await world.serviceAccount("owner")).token];
    for (const token of owners) {
      const { body } = await world.ask(`/api/support?organizationId=${ORGANIZATION_ID}`, { token });
      assert.equal(body.isOperator, true);
      assert.ok("memory" in body.bundle && body.settings.PORT === "0");
    }
  });

  it("contains no totals of the outbox, which holds all workspaces' events: they are in /metrics only", async () => {
    await using world = await openWorld();
    const source = await world.createSource();
    const sessionId = await world.openSession(source);
    await world.send(eventsPath(source), eventsBody(sessionId, [trackEvent()]));
    const { body } = await world.ask(`/api/support?organizationId=${ORGANIZATION_ID}`);
    assert.doesNotMatch(JSON.stringify(body), /outbox/i);
    assert.match((await world.ask("/metrics")).body, /^headwater_outbox_events \d/m);
  });

  it("contains the settings that the service started with, even if their files have changed", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "headwater-support-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "audience");
    writeFileSync(file, "headwater\n");
    const jwt = { AUTH_JWKS_URL: "http://127.0.0.1:9/keys", AUTH_ISSUER: "https://id.example" };
    await using world = await openWorld({ ...jwt, AUTH_AUDIENCE_FILE: file });
    rmSync(file);
    const { status, body } = await world.ask(`/api/support?organizationId=${ORGANIZATION_ID}`);
    assert.deepEqual([status, body.settings.AUTH_AUDIENCE], [200, "headwater"]);
  });
});
