/** `headwater mcp`: the tools on standard input and output, in a process of their own. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { folder, headwater } from "../cli/command-line.ts";
import { ORGANIZATION_ID, OWNER_TOKEN, openWorld, type World } from "../support/world.ts";
import { agentOverHttp, agentOverStdio, ERAS } from "./agent.ts";

describe("headwater mcp", () => {
  const files = folder();
  const tokenFile = files.at("token");
  let world: World;
  before(async () => {
    world = await openWorld();
    writeFileSync(tokenFile, `${OWNER_TOKEN}\n`);
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
    files[Symbol.dispose]();
  });
  const words = (api: string) => ["--api", api, "--token-file", tokenFile];

  for (const era of ERAS) {
    test(`It has the same tools as /mcp (${era}).`, async () => {
      await using local = await agentOverStdio(words(world.url), era);
      await using remote = await agentOverHttp(world.url, OWNER_TOKEN, era);
      assert.deepEqual((await local.client.listTools()).tools, (await remote.client.listTools()).tools);
      assert.equal(local.client.getInstructions(), remote.client.getInstructions());
    });
  }

  test("A tool calls the running service: path, query and body are sent, and a refusal is the answer.", async () => {
    await using agent = await agentOverStdio(words(`${world.url}/`));
    const given = { organizationId: ORGANIZATION_ID, name: "App", allowedOrigins: ["http://localhost:5173"] };
    const { body: created } = await agent.call("create_source", given);
    const { body: stored } = await world.ask(`/api/tracking-sources/${created.sourceId}`);
    assert.equal(stored.publicKey, created.publicKey);
    const { body: listed } = await agent.call("list_sources", { organizationId: ORGANIZATION_ID, limit: 1 });
    assert.equal(listed.sources.length, 1);
    const { body: install } = await agent.call("get_install", { sourceId: created.sourceId, path: "/hw" });
    assert.equal(install.publicKey, created.publicKey);
    const { isError, body } = await agent.call("get_install", { sourceId: "../sources" });
    assert.deepEqual([isError, body.code], [true, "source_not_found"]);
    const { body: wrong } = await agent.call("get_debug", {});
    assert.deepEqual([wrong.code, wrong.issues[0].path], ["invalid_payload", ["sourceId"]]);
  });

  test("When the service does not answer, the agent reads what to do.", async () => {
    await using agent = await agentOverStdio(words("http://127.0.0.1:1"));
    const { isError, body } = await agent.call("list_organizations");
    assert.deepEqual([isError, body.code], [true, "unreachable"]);
    assert.match(body.hint, /^Check your connection, the address,/);
    await using astray = await agentOverStdio(words(`${world.url}/docs`));
    assert.equal((await astray.call("list_organizations")).body.code, "route_not_found");
  });

  test("A wrong option ends the command before an agent talks to it.", async () => {
    const cases: [string[], RegExp][] = [
      [["--api", world.url], /Missing option --token-file/],
      [["--token-file", tokenFile, "--api", "localhost"], /--api must be an address/],
      [["--token-file", files.at("none")], /cannot be read \(ENOENT\)/],
    ];
    for (const [given, message] of cases) {
      const { code, stdout, stderr } = await headwater({}, "mcp", ...given);
      assert.deepEqual([code, stdout], [64, ""]);
      assert.match(stderr, message);
    }
  });
});
