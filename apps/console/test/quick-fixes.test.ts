/** One-click fixes for refused attempts, and the selection of the workspace. */
import assert from "node:assert/strict";
import { until } from "../../server/test/support/until.ts";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  ORGANIZATION_ID,
  type TestReply,
  trackEvent,
} from "../../server/test/support/world.ts";
import { consoleTest, openWorkspace, workspaceOpened } from "./console-world.ts";

consoleTest(
  "A refused attempt offers to activate the source, raise a limit or restore the key, and the next request is accepted.",
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

    /** Sends until a request is refused by the rate limit, or accepted after the limit was raised. */
    const untilRefused = async () => {
      const { body } = await world.ask(path);
      const isOver = body.limits.clientRatePerSecond === 1;
      return until("the rate limit applies as expected", async () => {
        const reply = await send(1);
        return (reply.status === 429) === isOver && reply;
      });
    };

    const cases: readonly {
      code: string;
      button: string;
      done: string;
      spoil(): Promise<TestReply>;
      send(): Promise<TestReply>;
    }[] = [
      {
        code: "source_inactive",
        button: "Activate source",
        done: "Activated",
        spoil: () => change({ isActive: false }),
        send: () => send(1),
      },
      {
        code: "batch_too_large",
        button: "Raise the limit to 6 events",
        done: "Limit raised",
        spoil: () => change({ limits: { maxBatchSize: 2 } }),
        send: () => send(3),
      },
      {
        code: "payload_too_large",
        button: "Raise the limit to",
        done: "Limit raised",
        spoil: () => change({ limits: { maxPayloadBytes: 1_024 } }),
        send: large,
      },
      {
        code: "rate_limited",
        button: "Raise the limit to 2 requests per second per IP address",
        done: "Limit raised",
        spoil: () => change({ limits: { clientRatePerSecond: 1 } }),
        send: untilRefused,
      },
      {
        code: "rotated_public_key",
        button: `Restore key …${source.publicKey.slice(-6)} for a day`,
        done: "Key restored",
        // rotates twice, so that the key to restore is not the previous one
        spoil: async () => {
          await world.ask(`${path}/regenerate-key`, { method: "POST" });
          return world.ask(`${path}/regenerate-key`, { method: "POST" });
        },
        send: () => send(1),
      },
    ];
    for (const { code, button, done, spoil, send } of cases) {
      assert.equal((await spoil()).status, 200, code);
      assert.equal((await send()).body.code, code);
      await open(`/analytics/setup/debug?sourceId=${source.sourceId}&code=${code}`);
      await page
        .getByRole("option")
        .filter({ hasText: code.replaceAll("_", " ") })
        .first()
        .click();
      await page.getByRole("button", { name: button }).click();
      const mended = new RegExp(
        `^${done} \\d+:\\d\\d\\s[AP]M\\. The next request like this will be accepted\\.$`,
      );
      await page.getByText(mended).waitFor();
      await page.getByRole("button", { name: button }).waitFor({ state: "detached" });
      assert.equal((await send()).status, 200, code);
      await open(`/analytics/setup/debug?sourceId=${source.sourceId}`);
      const problem = page.getByRole("listitem").filter({ hasText: code.replaceAll("_", " ") });
      if (code !== "rotated_public_key") {
        await page.getByText(/^\d fixed problems?$/).click();
        await page.getByRole("list", { name: "Fixed problems" }).and(page.locator(":visible")).waitFor();
        await problem.getByText(done, { exact: true }).waitFor();
      }
    }
  },
);

consoleTest(
  "A refused origin turns into an allowed one at once, and is no problem once its requests are accepted; another one stays.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    const sendFrom = (origin: string) => world.send(bootstrapPath(source), bootstrapBody(), { origin });
    for (const origin of ["https://shop.example.org", "https://stranger.example"])
      assert.equal((await sendFrom(origin)).body.code, "origin_not_allowed");
    await open(`/analytics/setup/debug?sourceId=${source.sourceId}`);
    const problems = page.getByRole("list", { name: "Problems", exact: true });
    assert.equal(await problems.getByRole("button", { name: "Allow https" }).count(), 0, "they are folded");
    await problems.getByRole("button", { name: "Review: Origin not allowed" }).click();
    const origins = problems.getByRole("list", { name: "Refused origins" }).getByRole("listitem");
    const shop = origins.filter({ hasText: "shop.example.org" });
    await shop.getByRole("button", { name: "Allow https://shop.example.org" }).click();
    await shop.getByText(/^Allowed \d+:\d\d\s[AP]M$/).waitFor();
    assert.equal(await shop.getByRole("button", { name: "Allow https" }).count(), 0);
    await problems.getByText("2 requests from 2 origins").waitFor();
    await page.locator("[role=option]", { hasText: "shop.example.org" }).click();
    const attempt = page.getByRole("region", { name: "Request", exact: true });
    await attempt.getByText(/^Allowed \d+:\d\d\s[AP]M\. The next request like this/).waitFor();
    await page.getByRole("button", { name: "1 problem", exact: true }).click();

    assert.equal((await sendFrom("https://shop.example.org")).status, 200);
    const line = problems.getByRole("listitem").filter({ hasText: /^Origin not allowed/ });
    await line.getByText("1 request from https://stranger.example").waitFor();
    await line.getByRole("button", { name: "Allow https://stranger.example" }).waitFor();
    await page.getByText("1 fixed problem", { exact: true }).click();
    const mended = page.getByRole("list", { name: "Fixed problems" });
    await mended.getByText(/^Allowed \d+:\d\d\s[AP]M$/).waitFor();

    await page.reload();
    await page.getByRole("button", { name: "1 problem", exact: true }).click();
    await page.getByText("1 fixed problem", { exact: true }).click();
    await mended.getByText("Allowed", { exact: true }).waitFor();
  },
);

consoleTest("An event with a warning shows what to send instead.", async ({ world, page, open }) => {
  const source = await world.createSource();
  const sessionId = await world.openSession(source);
  const event = trackEvent({ name: "purchase", properties: { revenue: 49.9 } });
  assert.equal((await world.send(eventsPath(source), eventsBody(sessionId, [event]))).body.accepted, 1);
  await open(`/analytics/setup/debug?sourceId=${source.sourceId}`);
  await page.getByRole("option").filter({ hasText: "1 accepted" }).click();
  const row = page.getByRole("row").filter({ hasText: "purchase" });
  await row.getByText("The revenue is not valid, so the event counts without it.").waitFor();
  await row.getByText('{"amount": 12.5, "currency": "EUR"}').waitFor();
});

consoleTest(
  "An Origin header that looks like a wildcard pattern gets no button to allow it.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    for (const origin of ["https://*.example.com", "http://localhost:*"]) {
      const reply = await world.send(bootstrapPath(source), bootstrapBody(), { origin });
      assert.equal(reply.body.code, "origin_not_allowed");
    }
    await open(`/analytics/setup/debug?sourceId=${source.sourceId}`);
    for (const row of await page.getByRole("option").filter({ hasText: "Origin not allowed" }).all()) {
      await row.click();
      await page.getByRole("heading", { name: "Received" }).waitFor();
      const fold = page.getByRole("button", { name: "1 problem", exact: true });
      if ((await fold.getAttribute("aria-expanded")) === "false") await fold.click();
      // the name of the problem is a button too
      await page.getByRole("button", { name: "Origin not allowed", exact: true }).first().waitFor();
      assert.equal(await page.getByRole("button", { name: /^Allow/ }).count(), 0);
    }
  },
);

consoleTest(
  "The workspace can be switched, and a link to a source of another workspace opens that workspace.",
  async ({ world, page, open }) => {
    const mine = await world.createSource({ name: "Mine" });
    const organizationId = await world.workspace();
    const theirs = await world.createSource({ name: "Theirs", organizationId });
    await open("/sources");
    await page.getByRole("link", { name: "Mine", exact: true }).waitFor();
    await openWorkspace(page, "Second");
    await page.getByRole("link", { name: "Theirs", exact: true }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Mine", exact: true }).count(), 0);

    await open(`/analytics/setup/debug?sourceId=${mine.sourceId}`);
    await page.getByRole("heading", { name: "Mine" }).waitFor();
    await workspaceOpened(page, "My workspace");

    await open(`/analytics/setup/debug?sourceId=${theirs.sourceId}x`);
    await page.getByRole("heading", { name: "Source not found" }).waitFor();
  },
);
