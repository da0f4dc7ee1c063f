/** A share link in a frame: only the sites that the source names may show it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newVisitor, skip } from "../../../../packages/sdk/test/chromium.ts";
import { until } from "../../../server/test/support/until.ts";
import { ORGANIZATION_ID, openWorld } from "../../../server/test/support/world.ts";
import { buildConsole } from "../../build.js";
import { openFramingSite } from "./framing-site.ts";

test("A share link shows in a frame on the sites that the source names, and in no other.", {
  skip,
}, async (t) => {
  const consoleFolder = await buildConsole();
  assert.ok(consoleFolder, "build the console first");
  await using world = await openWorld({}, { consoleFolder });
  const { sourceId } = await world.createSource({ name: "Shop" });
  const body = { organizationId: ORGANIZATION_ID, label: "Board", sourceId };
  const { token } = (await world.ask("/api/tokens", { method: "POST", body })).body;
  const address = (page: string) => `${world.url}/${page}?sourceId=${sourceId}#token=${token}`;
  let framed = address("embed");
  const allowed = await openFramingSite(t, () => framed);
  const other = await openFramingSite(t, () => framed);
  const visitor = await newVisitor();
  t.after(() => visitor.close());

  /** Opens the site. @returns when the browser has said that it refuses to show the frame */
  const isRefused = async (site: string) => {
    const page = await visitor.newPage();
    const refusal = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    await page.goto(site);
    await refusal;
    await page.close();
  };
  await isRefused(allowed);

  const embedOrigins = [`${allowed}/`];
  const change = { method: "PATCH", body: { organizationId: ORGANIZATION_ID, embedOrigins } };
  const updated = await world.ask(`/api/tracking-sources/${sourceId}`, change);
  assert.deepEqual(updated.body.embedOrigins, [allowed], updated.text);
  const page = await visitor.newPage();
  await page.goto(allowed);
  await page.frameLocator("iframe").getByRole("heading", { name: "Shop" }).waitFor();
  assert.equal(await page.frameLocator("iframe").getByRole("banner").count(), 0, "no header of the console");
  await page.frameLocator("iframe").getByText("No events yet").waitFor();
  await page.waitForFunction(() => document.querySelector("iframe")!.offsetHeight < 400);
  await page.setViewportSize({ width: 200, height: 700 });
  const content = page.frameLocator("iframe").locator("#root");
  await until("the frame is as high as its content", async () => {
    const boxes = await Promise.all([page.locator("iframe").boundingBox(), content.boundingBox()]);
    const [frame, inside] = boxes.map((box) => Math.round(box!.height));
    return frame === inside;
  });
  await isRefused(other);
  framed = address("shared");
  await isRefused(allowed);
});

test("Only the embed page of a source names the sites; an unknown source allows none, and a hostile name is refused.", async () => {
  const consoleFolder = await buildConsole();
  assert.ok(consoleFolder, "build the console first");
  await using world = await openWorld({}, { consoleFolder });
  const embedOrigins = ["https://*.shop.example", "http://localhost:*"];
  const { sourceId } = await world.createSource({ embedOrigins });
  const hostile = { organizationId: ORGANIZATION_ID, embedOrigins: ["http://a;b.example"] };
  const refused = { method: "PATCH", body: hostile };
  assert.equal((await world.ask(`/api/tracking-sources/${sourceId}`, refused)).status, 422);
  const ancestors = async (path: string) => {
    const response = await fetch(world.url + path);
    assert.equal(response.status, 200, path);
    const directives = response.headers.get("content-security-policy")!.split("; ");
    return directives.find((directive) => directive.startsWith("frame-ancestors "));
  };
  const named = "frame-ancestors https://*.shop.example http://localhost:*";
  for (const path of [`/embed?sourceId=${sourceId}`, `/embed/?a=b&sourceId=${sourceId}`])
    assert.equal(await ancestors(path), named);
  for (const path of [
    "/embed",
    "/embed?sourceId=src_no",
    "/embed?sourceId=%00",
    `/shared?sourceId=${sourceId}`,
  ])
    assert.equal(await ancestors(path), "frame-ancestors 'none'", path);
});
