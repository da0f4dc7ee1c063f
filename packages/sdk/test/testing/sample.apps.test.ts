/** A sample repository with Next.js, Playwright, Vitest and a tracking plan, as docs/testing.md says. */
import assert from "node:assert/strict";
import { existsSync, symlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { freePort } from "../../../../apps/server/src/http/listening.ts";
import { BIN } from "../../../../apps/server/test/cli/command-line.ts";
import { readPlanFolder } from "../../../../apps/server/tools/plan/plan-folder.ts";
import { startTestServer } from "../../../../apps/server/tools/test-server/start.ts";
import { chromiumPath, skip } from "../chromium.ts";
import { type App, openWorkshop, type Workshop } from "../fresh-app.ts";

let workshop: Workshop;
before(async () => {
  if (!skip) workshop = await openWorkshop("tested");
});
after(() => workshop?.[Symbol.asyncDispose]());

const localAddress = async () => `http://127.0.0.1:${await freePort({ port: 0, host: "127.0.0.1" })}`;

/** Builds the site and runs its tests in a browser. @returns the output, and the JUnit file */
async function runBrowserTests(overlay: string, expectMs: number) {
  const headwater = await localAddress();
  const app = await workshop.create(overlay, {
    HEADWATER_TEST_URL: headwater,
    NEXT_PUBLIC_HEADWATER_URL: headwater,
    SITE_URL: await localAddress(),
    CHROMIUM: chromiumPath,
    EXPECT_MS: String(expectMs),
  });
  const installed = join(app.folder, "..", "node_modules", ".bin", "headwater");
  if (!existsSync(installed)) symlinkSync(BIN, installed);
  await app.run("next", "build");
  const output = await app.run("playwright", "test").catch((error: Error) => error.message);
  return { app, output, junit: await readJunit(app) };
}

const readJunit = ({ folder }: App) => readFile(join(folder, "junit.xml"), "utf8");

/** The failed cases of a JUnit file, each with its text. */
const failuresIn = (junit: string): string[] =>
  [...junit.matchAll(/<testcase [^>]*[^/]>.*?<\/testcase>/gs)]
    .map(([text]) => text)
    .filter((text) => /<(?:failure|error) message=/.test(text));

test("Three planted mistakes are three failures in the JUnit file, each with the line of the plan.", {
  skip,
}, async () => {
  const right = await runBrowserTests("right", 60_000);
  assert.match(right.output, /3 passed/, right.output);
  assert.equal(await right.app.run("tsc", "--strict", "-p", "."), "");

  const { output, junit } = await runBrowserTests("mistakes", 10_000);
  assert.match(output, /3 failed/, output);
  const [order = "", signup = "", search = "", ...others] = failuresIn(junit);
  assert.deepEqual(others, [], junit);
  assert.match(order, /message="No event &quot;order&quot; .* by tracking-plan\/events\/order\.json:5\."/);
  assert.match(order, /properties\.value must be of the type number; found the string "19\.9"/);
  assert.match(signup, /message="1 refusal, by tracking-plan\/events\/signup\.json:8\."/);
  assert.match(
    signup,
    /properties\.plan must be present; found nothing\.\s+tracking-plan\/events\/signup\.json:8\s/,
  );
  assert.match(search, /name must be a planned event, such as search; .*\s+tracking-plan\/plan\.json:8\s/);
  for (const failure of [order, signup, search])
    assert.match(failure, /shop\.spec\.ts:\d+/, "the line of the test");
});

test("In Vitest a failure names the line of the plan in the JUnit file too.", { skip }, async () => {
  const plan = await workshop.create("right");
  const folder = join(plan.folder, "tracking-plan");
  const server = await startTestServer(0, readPlanFolder(folder));
  try {
    const app = await workshop.create("right", { HEADWATER_TEST_URL: server.url });
    const words = [
      "run",
      "tests/order.spec.ts",
      "--reporter=junit",
      "--outputFile=junit.xml",
      "--testTimeout=60000",
    ];
    const output = await app.run("vitest", ...words).catch((error: Error) => error.message);
    const junit = await readJunit(app);
    const [failure = "", ...others] = failuresIn(junit);
    assert.deepEqual([others, junit.match(/<testcase /g)?.length], [[], 2], output);
    assert.match(failure, /An order has a value\./);
    assert.ok(failure.includes(`${folder}/events/order.json:11`), failure);
    assert.match(failure, /tests\/order\.spec\.ts:\d+/);
  } finally {
    await server.close();
  }
});
