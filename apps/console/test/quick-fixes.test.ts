/** A refusal is mended at a press, and the next request like it is let in; and which workspace is open. */
import assert from "node:assert/strict";
import { until } from "../../server/test/faults/child.ts";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  ORGANIZATION_ID,
  type Reply,
  trackEvent,
} from "../../server/test/support/world.ts";
import { consoleTest } from "./console-world.ts";

const RATE_MS = 10_000;

consoleTest(
  "A source is switched on, its limits are raised and its last key restored out of the attempt that needs it.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    const path = `/api/tracking-sources/${source.sourceId}`;
    const sessionId = await world.openSession(source);
    const change = (body: object) =>
      world.ask(path, { method: "PATCH", body: { organizationId: ORGANIZATION_ID, ...body } });
    const send = (count: number) =>
      world.send(
        eventsPath(source),
        eventsBody(
          sessionId,
          Array.from({ length: count }, () => trackEvent()),
        ),
      );
    const large = () =>
      world.send(bootstrapPath(source), bootstrapBody({ context: { text: "x".repeat(2_000) } }));

    /** The next one that is over its rate, or the first one that is let in where the rate was raised. */
    const untilRefused = async () => {
      const { body } = await world.ask(path);
      const isOver = body.limits.clientRatePerSecond === 1;
      return until("the rate says so", RATE_MS, async () => {
        const reply = await send(1);
        return (reply.status === 429) === isOver && reply;
      });
    };

    const cases: readonly {
      code: string;
      button: string;
      spoil(): Promise<Reply>;
      send(): Promise<Reply>;
    }[] = [
      {
        code: "source_inactive",
        button: "Switch the source on",
        spoil: () => change({ isActive: false }),
        send: () => send(1),
      },
      {
        code: "batch_too_large",
        button: "Raise the limit to 6 events",
        spoil: () => change({ limits: { maxBatchSize: 2 } }),
        send: () => send(3),
      },
      {
        code: "payload_too_large",
        button: "Raise the limit to",
        spoil: () => change({ limits: { maxPayloadBytes: 1_024 } }),
        send: large,
      },
      {
        code: "rate_limited",
        button: "Raise the limit to 2 requests a second of one address",
        spoil: () => change({ limits: { clientRatePerSecond: 1 } }),
        send: untilRefused,
      },
      {
        code: "rotated_public_key",
        button: `Restore the key that ends in ${source.publicKey.slice(-6)} for a day`,
        // the key in between was the last one, and is not the one that is asked for
        spoil: async () => {
          await world.ask(`${path}/regenerate-key`, { method: "POST" });
          return world.ask(`${path}/regenerate-key`, { method: "POST" });
        },
        send: () => send(1),
      },
    ];
    for (const { code, button, spoil, send } of cases) {
      assert.equal((await spoil()).status, 200, code);
      assert.equal((await send()).body.code, code);
      await open(`/analytics/setup/debug?sourceId=${source.sourceId}&code=${code}`);
      await page.getByRole("option").filter({ hasText: code }).first().click();
      await page.getByRole("button", { name: button }).click();
      await page.getByText("the next request that is like this one is let in").waitFor();
      assert.equal((await send()).status, 200, code);
    }
  },
);

consoleTest(
  "An origin that somebody made up to be a pattern is not offered to be allowed.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    for (const origin of ["https://*.example.com", "http://localhost:*"]) {
      const reply = await world.send(bootstrapPath(source), bootstrapBody(), { origin });
      assert.equal(reply.body.code, "origin_not_allowed");
    }
    await open(`/analytics/setup/debug?sourceId=${source.sourceId}`);
    for (const row of await page.getByRole("option").filter({ hasText: "origin_not_allowed" }).all()) {
      await row.click();
      await page.getByRole("heading", { name: "As it came" }).waitFor();
      assert.equal(await page.getByRole("button", { name: "Allow" }).count(), 0);
    }
  },
);

consoleTest(
  "Workspaces are chosen among; the address of another one's source opens that one.",
  async ({ world, page, open }) => {
    const mine = await world.createSource({ name: "Mine" });
    const { body } = await world.ask("/api/organizations", { method: "POST", body: { name: "Second" } });
    const theirs = await world.createSource({ name: "Theirs", organizationId: body.organizationId });
    await open("/sources");
    await page.getByRole("link", { name: "Mine", exact: true }).waitFor();
    const workspace = page.getByLabel("Workspace");
    await workspace.selectOption({ label: "Second" });
    await page.getByRole("link", { name: "Theirs", exact: true }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Mine", exact: true }).count(), 0);

    await open(`/analytics/setup/debug?sourceId=${mine.sourceId}`);
    await page.getByRole("heading", { name: "Mine" }).waitFor();
    await page.locator(`select:has(option:checked[value="${ORGANIZATION_ID}"])`).waitFor();
    assert.equal(await workspace.inputValue(), ORGANIZATION_ID);

    await open(`/analytics/setup/debug?sourceId=${theirs.sourceId}x`);
    await page.getByText("There is no such source in this workspace.").waitFor();
  },
);
