/** The files of the console. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createConsoleFiles } from "../../src/http/console-files.ts";

async function build(folder: string, name: string): Promise<void> {
  await rm(join(folder, "console"), { recursive: true, force: true });
  await mkdir(join(folder, "console"));
  await writeFile(join(folder, "console", name), name);
  await writeFile(join(folder, "index.html"), `<script src="console/${name}"></script>`);
}

test("The console is served from its last build, also when it is built again while the service runs.", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "headwater-console-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await build(folder, "old.js");
  const files = createConsoleFiles({
    folder,
    appUrl: () => "http://127.0.0.1/",
    embedOriginsOf: async () => [],
    requireRate: () => undefined,
  });
  const server = createServer((request, response) => {
    const exchange = {
      request,
      response,
      requestId: "req_1",
      traceId: null,
      alias: "",
      queryText: "",
      headers: {},
    };
    if (files.serve(exchange, request.url ?? "") === null) response.writeHead(404).end();
  });
  t.after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const loadScript = async () => {
    const [, script] = /src="(.*?)"/.exec(await (await get("/")).text()) ?? [];
    return (await get(`/${script}`)).text();
  };
  assert.equal(await loadScript(), "old.js");
  await build(folder, "new.js");
  assert.equal(await loadScript(), "new.js");
  assert.equal((await get("/console/old.js")).status, 404);
  await rm(folder, { recursive: true });
  assert.equal((await get("/")).status, 200, "the page of the last build is kept");
});
