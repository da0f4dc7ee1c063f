/** Pages that try to stop the service, read by POST …/test and by the doctor (docs/api/install.md). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { InstallCheck } from "@headwater/contract";
import { openWorld, type World } from "../support/world.ts";
import { HOSTILE_PAGES, type HostileSite, startHostileSite } from "./hostile-pages.ts";

/**
 * CPU time of the thread that serves ingest, for one page. It includes the hostile site, which runs in this process. A quiet machine
 * takes less than 250 ms, a busy or slow one more; pages that stop a service take many seconds.
 */
const MAX_CPU_MS = 1_000;

let site: HostileSite;
let world: World;
let sourceId: string;
before(async () => {
  site = await startHostileSite();
  // the service requests its own address, whatever the port
  world = await openWorld({ BASE_URL: site.url });
  ({ sourceId } = await world.createSource());
  // the first test loads modules, so it is not measured
  await testPage(site.pageUrl("unknown"));
});
after(async () => {
  site[Symbol.dispose]();
  await world[Symbol.asyncDispose]();
});

const testPage = (url: string) =>
  world.ask(`/api/tracking-sources/${sourceId}/test`, { method: "POST", body: { url } });

for (const name of HOSTILE_PAGES)
  test(`The test of a page of ${name} ends, and takes little time of the thread that serves ingest.`, async () => {
    const url = site.pageUrl(name);
    const before = process.threadCpuUsage();
    const reply = await testPage(url);
    const { user, system } = process.threadCpuUsage(before);
    assert.equal(reply.status, 200, reply.text);
    const [page] = reply.body.checks as InstallCheck[];
    assert.equal(page?.check, "page");
    const cpuMs = (user + system) / 1_000;
    assert.ok(cpuMs < MAX_CPU_MS, `${cpuMs} ms`);
  });
