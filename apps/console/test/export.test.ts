/** Export of events as a file. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { World } from "../../server/test/support/world.ts";
import { collectBlob, FileTooLargeError } from "../src/pages/stats/collect-blob.ts";
import { consoleStatsTest } from "./console-world.ts";
import { lastDays, visitedShop } from "./visits.ts";

/** @returns the lines of the API's export of the same days */
async function exported(world: World, sourceId: string): Promise<string[]> {
  const { searchParams } = new URL(lastDays({ sourceId, publicKey: "" }), world.url);
  const [from, last] = searchParams.get("range")!.split("..");
  const to = new Date(Date.parse(last!) + 86_400_000).toISOString();
  const query = new URLSearchParams({ sourceId, from: from!, to, format: "csv" });
  const { status, body } = await world.ask(`/api/export/events?${query}`);
  assert.equal(status, 200, body);
  return body.trimEnd().split(/\r?\n/);
}

for (const way of ["streamed to disk", "collected in memory"] as const) {
  consoleStatsTest(`The selected range is downloaded as a file, ${way}.`, async ({ world, page, open }) => {
    await page.addInitScript((isWritten) => {
      // stands in for the file dialog: a file in the origin's private file system
      const picker = async ({ suggestedName }: { suggestedName: string }) =>
        (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
      Object.assign(window, { showSaveFilePicker: isWritten ? picker : undefined });
    }, way === "streamed to disk");
    const source = await visitedShop(world);
    const wanted = await exported(world, source.sourceId);
    await open(lastDays(source));
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Export", exact: true }).click();
    await page.getByText("events from").waitFor();
    const download = page.waitForEvent("download").catch(() => null);
    await page.getByRole("button", { name: "Download" }).click();
    await page.getByText(/^Saved, \d/).waitFor();
    const text =
      way === "streamed to disk"
        ? await page.evaluate(async () => {
            const folder = await navigator.storage.getDirectory();
            for await (const name of folder.keys())
              return (await (await folder.getFileHandle(name)).getFile()).text();
            return "";
          })
        : await readFile((await (await download)!.path())!, "utf8");
    assert.deepEqual(text.trimEnd().split(/\r?\n/), wanted);
  });
}

consoleStatsTest(
  "The file is named by the first day in the time zone of the view.",
  async ({ world, page, open }) => {
    await page.addInitScript(() => Object.assign(window, { showSaveFilePicker: undefined }));
    const source = await visitedShop(world);
    const address = new URL(lastDays(source), world.url);
    const [first] = address.searchParams.get("range")!.split("..");
    // it is that day 14 hours before it is in UTC
    address.searchParams.set("tz", "Pacific/Kiritimati");
    await open(`${address.pathname}${address.search}`);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Export", exact: true }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    assert.equal((await download).suggestedFilename(), `${source.sourceId}-${first}.csv`);
  },
);

test("Collecting a blob fails beyond its limit and cancels the stream.", async () => {
  let ended = 0;
  async function* parts() {
    try {
      for (;;) yield new Uint8Array(10);
    } finally {
      ended += 1;
    }
  }
  async function* few() {
    yield* [new Uint8Array(10), new Uint8Array(20)];
  }
  assert.equal((await collectBlob(few(), 30)).size, 30);
  await assert.rejects(collectBlob(few(), 29), FileTooLargeError);
  await assert.rejects(collectBlob(parts(), 1_000), FileTooLargeError);
  assert.equal(ended, 1);
});
