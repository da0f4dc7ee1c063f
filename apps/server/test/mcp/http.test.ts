/** `POST /mcp` (docs/mcp.md). */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { OPERATIONS, type Operation } from "@headwater/contract";
import { SdkHttpError } from "@modelcontextprotocol/client";
import {
  APP_URL,
  BASE_URL,
  issuesOf,
  ORGANIZATION_ID,
  openWorld,
  refused,
  type World,
} from "../support/world.ts";
import { type Agent, agentOverHttp, ERAS } from "./agent.ts";

const TOOLS = [
  "list_organizations",
  "list_sources",
  "create_source",
  "update_source",
  "get_install",
  "verify_install",
  "get_debug",
  "query_stats",
];
const LIST_TOOLS = { jsonrpc: "2.0", id: 1, method: "tools/list" };

describe("POST /mcp", () => {
  let world: World;
  let agent: Agent;
  before(async () => {
    world = await openWorld({ APP_URL, BASE_URL });
    agent = await agentOverHttp(world.url);
  });
  after(async () => {
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });
  const send = (body: unknown, headers = {}) => world.ask("/mcp", { method: "POST", body, headers });

  for (const era of ERAS) {
    test(`Clients of both revisions of the protocol list and call the tools (${era}).`, async () => {
      await using client = await agentOverHttp(world.url, world.ownerToken, era);
      const revision = client.client.getNegotiatedProtocolVersion();
      assert.equal(revision, era === "auto" ? "2026-07-28" : "2025-11-25");
      const { tools } = await client.client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        TOOLS,
      );
      const { body } = await client.call("list_organizations");
      assert.equal(body.organizations[0].organizationId, ORGANIZATION_ID);
    });
  }

  test("Each tool is an operation: it has its summary, its permission and its arguments.", async () => {
    const { tools } = await agent.client.listTools();
    const operations = OPERATIONS as readonly Operation[];
    for (const { name, description = "", inputSchema, annotations } of tools) {
      const id = name.replace(/_[a-z]/g, ([, letter]) => letter!.toUpperCase());
      const { summary, access, path, query, body } = operations.find((one) => one.id === id)!;
      assert.ok(description.startsWith(summary), name);
      if (access !== "token") assert.ok(description.includes(access), name);
      assert.equal(annotations?.readOnlyHint, access !== "sources:write", name);
      const schemas = [query, body] as { properties?: object; required?: string[] }[];
      const inPath = path.includes(":sourceId") ? ["sourceId"] : [];
      const given = Object.keys(inputSchema.properties ?? {});
      for (const member of [...inPath, ...schemas.flatMap((schema) => Object.keys(schema?.properties ?? {}))])
        assert.ok(given.includes(member), `${name} ${member}`);
      const required = [...inPath, ...schemas.flatMap((schema) => schema?.required ?? [])];
      assert.deepEqual([...(inputSchema.required ?? [])].sort(), required.sort(), name);
      assert.doesNotMatch(JSON.stringify(inputSchema), /\$ref|\$id/, "no recursive schema");
    }
  });

  test("A tool changes and reads what its operation does, and leaves out what is empty.", async () => {
    const given = { organizationId: ORGANIZATION_ID, name: "App", allowedOrigins: ["http://localhost:5173"] };
    const { body: created } = await agent.call("create_source", given);
    const { sourceId } = created;
    assert.ok(!("retentionDays" in created), "null is left out");
    const allowedOrigins = ["http://localhost:5173", "https://app.example"];
    const { body: updated } = await agent.call("update_source", {
      sourceId,
      organizationId: ORGANIZATION_ID,
      allowedOrigins,
    });
    assert.deepEqual(updated.allowedOrigins, allowedOrigins);
    const { body: stored } = await world.ask(`/api/tracking-sources/${sourceId}`);
    assert.deepEqual(stored.allowedOrigins, allowedOrigins);
    const { body: listed } = await agent.call("list_sources", { organizationId: ORGANIZATION_ID, limit: 1 });
    assert.equal(listed.sources.length, 1, "an integer of the query is sent as one");
    const audit = await world.ask(`/api/audit?organizationId=${ORGANIZATION_ID}&limit=1`);
    assert.equal(audit.body.entries[0].userId, await world.ownerId());
  });

  test("get_install has one example: that of the framework, or the HTML snippet.", async () => {
    const { sourceId } = await world.createSource();
    const { body: all } = await world.ask(`/api/tracking-sources/${sourceId}/install`);
    const { body: html } = await agent.call("get_install", { sourceId });
    assert.equal(html.paste, all.browserSnippet);
    assert.deepEqual(html.csp, all.csp);
    const { body: nuxt } = await agent.call("get_install", { sourceId, framework: "nuxt" });
    assert.equal(nuxt.paste, all.snippets.nuxt);
    assert.deepEqual(Object.keys(nuxt), ["publicKey", "apiBaseUrl", "debugUrl", "csp", "paste"]);
  });

  test("get_debug has the requests without their long members.", async () => {
    const source = await world.createSource();
    await world.openSession(source);
    const { body } = await agent.call("get_debug", { sourceId: source.sourceId });
    const [attempt] = body.bootstrapAttempts;
    assert.deepEqual([attempt.kind, attempt.httpStatus, attempt.outcome], ["bootstrap", 200, "succeeded"]);
    for (const name of ["raw", "normalized"]) assert.ok(!(name in attempt), name);
  });

  describe("errors", () => {
    test("A refusal of the operation is the answer of the tool, with code, message and hint.", async () => {
      const { isError, body } = await agent.call("get_install", { sourceId: "src_nobody" });
      assert.ok(isError);
      assert.equal(body.code, "source_not_found");
      const { body: direct } = await world.ask("/api/tracking-sources/src_nobody/install");
      assert.deepEqual([body.message, body.hint], [direct.message, direct.hint]);
      assert.match(body.requestId, /^req_/);
    });

    test("Wrong arguments are all listed, those of the path and of the tool too.", async () => {
      const { isError, body } = await agent.call("get_install", { framework: "cobol", colour: "red" });
      assert.ok(isError);
      assert.deepEqual(body.issues.map(({ path }: { path: string[] }) => path[0]).sort(), [
        "colour",
        "framework",
        "sourceId",
      ]);
      const filters = [{ not: { dimension: "page", operator: "is", value: "/", more: 1 } }];
      const query = { sourceId: "src_x", dateRange: "7d", metrics: ["visitors"], filters };
      const { sourceId } = await world.createSource();
      const { body: nested } = await agent.call("query_stats", { ...query, sourceId });
      assert.deepEqual(nested.issues[0].path, ["filters", 0, "not", "more"]);
    });

    test("An unknown tool is an error of the protocol that names the tools.", async () => {
      await assert.rejects(
        agent.client.callTool({ name: "drop_source" }),
        /Available tools: list_organizations/,
      );
    });
  });

  describe("permissions", () => {
    test("A tool needs the permission of its operation.", async () => {
      const { token } = await world.serviceAccount("viewer");
      await using viewer = await agentOverHttp(world.url, token);
      const given = { organizationId: ORGANIZATION_ID, name: "App" };
      const { isError, body } = await viewer.call("create_source", given);
      assert.deepEqual([isError, body.code], [true, "permission_denied"]);
      const elevated = { ...given, retentionDays: 30 };
      await using developer = await agentOverHttp(world.url, (await world.serviceAccount("developer")).token);
      assert.equal((await developer.call("create_source", elevated)).body.code, "permission_denied");
    });

    test("No tool reads or changes another workspace.", async () => {
      const { token } = await world.strangers();
      await using stranger = await agentOverHttp(world.url, token);
      const { sourceId } = await world.createSource({ name: "Secret" });
      const sent = {
        list_sources: { organizationId: ORGANIZATION_ID },
        create_source: { organizationId: ORGANIZATION_ID, name: "App" },
        update_source: { sourceId, organizationId: ORGANIZATION_ID, name: "Mine" },
        get_install: { sourceId },
        verify_install: {
          sourceId,
          report: {
            url: "https://a.example/",
            snippets: [],
            policies: [],
            script: "unknown",
            request: null,
            sentAt: "2026-11-21T12:00:00.000Z",
          },
        },
        get_debug: { sourceId },
        query_stats: { sourceId, dateRange: "7d", metrics: ["visitors"] },
      };
      assert.deepEqual(["list_organizations", ...Object.keys(sent)], TOOLS);
      for (const [name, given] of Object.entries(sent)) {
        const { isError, body } = await stranger.call(name, given);
        assert.deepEqual([isError, body.code], [true, "not_a_member"], name);
        assert.doesNotMatch(JSON.stringify(body), /Secret/, name);
      }
      const { body } = await stranger.call("list_organizations");
      assert.ok(!JSON.stringify(body).includes(ORGANIZATION_ID));
    });

    test("A token is required, and a token for the stats of one source is not enough.", async () => {
      refused(
        await world.ask("/mcp", { method: "POST", token: null, body: LIST_TOOLS }),
        401,
        "missing_token",
      );
      const { sourceId } = await world.createSource();
      const body = { organizationId: ORGANIZATION_ID, label: "Shared", sourceId };
      const { token } = (await world.ask("/api/tokens", { method: "POST", body })).body;
      refused(await world.ask("/mcp", { method: "POST", token, body: LIST_TOOLS }), 403, "permission_denied");
    });

    test("Every message counts for the rate of its token.", async () => {
      await using slow = await openWorld({ WORKSPACE_RATE_PER_SECOND: "1", WORKSPACE_RATE_BURST: "3" });
      await using client = await agentOverHttp(slow.url);
      const calls = Array.from({ length: 5 }, () => client.call("list_organizations"));
      const failures = (await Promise.allSettled(calls)).filter(({ status }) => status === "rejected");
      assert.ok(failures.length >= 2, String(failures.length));
      const [failure] = failures as PromiseRejectedResult[];
      assert.ok(failure?.reason instanceof SdkHttpError);
      assert.equal(failure.reason.status, 429);
    });
  });

  describe("HTTP", () => {
    test("Pages of other origins are refused; the console and programs are not.", async () => {
      refused(await send(LIST_TOOLS, { origin: "http://rebound.example" }), 403, "origin_not_allowed");
      refused(await send(LIST_TOOLS, { origin: "null" }), 403, "origin_not_allowed");
      for (const headers of [{}, { origin: APP_URL }, { origin: BASE_URL }])
        assert.equal((await send(LIST_TOOLS, headers)).status, 200);
    });

    test("The body is one message of at most 64 KB.", async () => {
      assert.deepEqual(issuesOf(await send([LIST_TOOLS, LIST_TOOLS])), [": invalid_type"]);
      assert.deepEqual(issuesOf(await send({ id: 1, method: "ping" })), ["jsonrpc: required"]);
      const large = { ...LIST_TOOLS, params: { _meta: { text: "x".repeat(65_536) } } };
      refused(await send(large), 413, "payload_too_large");
    });

    test("Every response is JSON. A notification is answered with 202 and no body.", async () => {
      const { headers, body } = await send(LIST_TOOLS);
      assert.match(headers.get("content-type") ?? "", /^application\/json/);
      assert.equal(body.result.tools.length, TOOLS.length);
      const note = { jsonrpc: "2.0", method: "notifications/initialized" };
      const noted = await send(note);
      assert.deepEqual([noted.status, noted.text], [202, ""]);
    });

    test("There are no sessions and no streams: GET and DELETE are answered with 405.", async () => {
      for (const method of ["GET", "DELETE"])
        refused(await world.ask("/mcp", { method }), 405, "method_not_allowed");
    });

    test("A subscription is refused, because its stream would not end.", async () => {
      const { client } = agent;
      await assert.rejects(client.listen({ toolsListChanged: true }), /limit/);
    });

    test("A revision of the protocol that the service does not speak is answered with 400 and those it does.", async () => {
      const headers = { authorization: `Bearer ${world.ownerToken}`, "content-type": "application/json" };
      const asked = { ...headers, "mcp-protocol-version": "1999-01-01" };
      const response = await fetch(`${world.url}/mcp`, {
        method: "POST",
        headers: asked,
        body: JSON.stringify(LIST_TOOLS),
      });
      assert.equal(response.status, 400);
      const { error } = (await response.json()) as { error: { message: string } };
      assert.match(error.message, /1999-01-01.*2025-11-25/s);
    });
  });
});
