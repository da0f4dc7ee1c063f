/** POST /api/tracking-sources/:sourceId/verify: checks an install by the report of a page. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { InstallCheck, PageReport, PageSnippet, Verification } from "@headwater/contract";
import {
  drivenClock,
  issuesOf,
  ORGANIZATION_ID,
  ORIGIN,
  openWorld,
  refused,
  type TestReply,
  type World,
} from "../support/world.ts";

const BASE_URL = "https://insights.example";
const PAGE = `${ORIGIN}/pricing`;

describe("POST /api/tracking-sources/:sourceId/verify", () => {
  let world: World;
  let source: { sourceId: string; publicKey: string };
  const time = drivenClock();

  before(async () => {
    world = await openWorld({ BASE_URL }, { clock: time.clock });
    source = await world.createSource();
  });
  after(() => world[Symbol.asyncDispose]());

  const snippet = (over: Partial<PageSnippet> = {}): PageSnippet => ({
    kind: "tag",
    scriptUrl: `${BASE_URL}/sdk/v2.js`,
    publicKey: source.publicKey,
    apiBaseUrl: null,
    nonce: null,
    hash: null,
    ...over,
  });
  const report = (over: Partial<PageReport> = {}): PageReport => ({
    url: PAGE,
    snippets: [snippet()],
    policies: [],
    script: "loaded",
    request: { status: 200, code: null, attemptId: "att_1" },
    sentAt: new Date(time.now()).toISOString(),
    ...over,
  });
  const verify = (body: unknown, { sourceId } = source, token?: string): Promise<TestReply> =>
    world.ask(`/api/tracking-sources/${sourceId}/verify`, { method: "POST", body, ...(token && { token }) });
  const verified = async (over: Partial<PageReport> = {}, of = source): Promise<Verification> => {
    const reply = await verify({ report: report(over) }, of);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body;
  };
  const notOk = ({ checks }: Verification): Partial<InstallCheck>[] =>
    checks
      .filter(({ status }) => status !== "ok")
      .map(({ check, status, paste }) => ({ check, status, paste }));

  describe("200", () => {
    it("a working install passes 13 checks", async () => {
      const answer = await verified();
      assert.equal(answer.isWorking, true);
      assert.deepEqual(notOk(answer), []);
      assert.equal(answer.checks.length, 13);
    });

    const installed = async ({ sourceId }: { sourceId: string }): Promise<string> =>
      (await world.ask(`/api/tracking-sources/${sourceId}/install`)).body.browserSnippet;

    it("for a page without the snippet, the answer contains the one of the install page", async () => {
      const paste = await installed(source);
      const { isWorking, checks } = await verified({ snippets: [], script: "unknown", request: null });
      assert.equal(isWorking, false);
      assert.deepEqual([checks[1]?.status, checks[1]?.paste], ["wrong", paste]);
    });

    it("for a source that requires consent, the snippet waits for it; without `engagement` it loads the client alone", async () => {
      const careful = await world.createSource({
        privacy: { respectGpc: true, requireConsent: true },
        engagement: false,
      });
      const { checks } = await verified({ snippets: [], script: "unknown", request: null }, careful);
      assert.equal(checks[1]?.paste, await installed(careful));
    });

    it("a repeated snippet is an error", async () => {
      const answer = await verified({ snippets: [snippet(), snippet({ kind: "inline" })] });
      assert.deepEqual(notOk(answer), [{ check: "snippet_once", status: "wrong", paste: null }]);
    });

    it("an invalid key, another source's and another workspace's get the same message", async () => {
      const other = await world.createSource();
      const organizationId = await world.workspace();
      const theirs = await world.createSource({ organizationId });
      const paste = `data-key="${source.publicKey}"`;
      const told = new Set<string | undefined>();
      for (const publicKey of ["pk_nobody", other.publicKey, theirs.publicKey]) {
        const answer = await verified({ snippets: [snippet({ publicKey })] });
        assert.deepEqual(notOk(answer), [{ check: "key", status: "wrong", paste }]);
        told.add(answer.checks[3]?.message.replace(publicKey, "…"));
      }
      assert.equal(told.size, 1);
    });

    it("a previous key is a warning; a retired key is an error", async () => {
      const rotated = await world.createSource();
      const snippets = [snippet({ kind: "inline", publicKey: rotated.publicKey })];
      const rotate = (gracePeriodSeconds: number) =>
        world.ask(`/api/tracking-sources/${rotated.sourceId}/regenerate-key`, {
          method: "POST",
          body: { gracePeriodSeconds },
        });
      const { publicKey } = (await rotate(60)).body;
      const paste = `script.dataset.key = "${publicKey}";`;
      const inGrace = await verified({ snippets }, rotated);
      assert.deepEqual(notOk(inGrace), [{ check: "key", status: "warning", paste }]);
      assert.match(inGrace.checks[3]!.message, /stops working on \d{4}-\d\d-\d\d at \d\d:\d\d UTC\.$/);
      assert.equal(inGrace.isWorking, true);
      time.advance(61_000);
      const retired = await verified({ snippets }, rotated);
      assert.deepEqual(notOk(retired), [{ check: "key", status: "wrong", paste }]);
      assert.match(retired.checks[3]!.message, /was replaced by a newer one/);
    });

    it("for an origin that is not allowed, the answer contains the value to add", async () => {
      const answer = await verified({ url: "https://www.shop.example:8443/a?b#c" });
      const paste = "https://www.shop.example:8443";
      assert.deepEqual(notOk(answer), [{ check: "origin", status: "wrong", paste }]);
    });

    it("for a source that is switched off, the answer contains the command that switches it on", async () => {
      const off = await world.createSource();
      const body = { organizationId: ORGANIZATION_ID, isActive: false };
      await world.ask(`/api/tracking-sources/${off.sourceId}`, { method: "PATCH", body });
      const answer = await verified({ snippets: [snippet({ publicKey: off.publicKey })] }, off);
      const paste = `npx headwater source update ${off.sourceId} --active on`;
      assert.deepEqual(notOk(answer), [{ check: "source_active", status: "wrong", paste }]);
    });

    it("another service's address is an error; a path of the page's own site may be a proxy of this service", async () => {
      const to = (apiBaseUrl: string) => verified({ snippets: [snippet({ apiBaseUrl })] });
      const paste = `data-api="${BASE_URL}"`;
      const wrong = [{ check: "api_address", status: "wrong", paste }];
      assert.deepEqual(notOk(await to("https://elsewhere.example")), wrong);
      assert.deepEqual(notOk(await to("http://localhost:8790")), wrong);
      assert.deepEqual(notOk(await to("http://insights.example")), wrong);
      assert.deepEqual(notOk(await to("/hw")), []);
      assert.deepEqual(notOk(await to(`${BASE_URL}/`)), []);
    });

    it("for a wrong key or address, the answer contains the line of the page's own snippet with the right value", async () => {
      const old = "https://old.example";
      const pasteFor = async (over: Partial<PageSnippet>) => {
        const there = { scriptUrl: `${old}/sdk/v2.js`, apiBaseUrl: old, publicKey: "pk_nobody", ...over };
        const { checks } = await verified({ snippets: [snippet(there)] });
        const pasted = checks.filter(({ status }) => status === "wrong");
        return pasted.map(({ check, paste }) => [check, paste]);
      };
      const { publicKey } = source;
      assert.deepEqual(await pasteFor({ kind: "inline" }), [
        ["key", `script.dataset.key = "${publicKey}";`],
        [
          "api_address",
          `script.src = trusted("${BASE_URL}/sdk/v2.js?with=engagement"); script.dataset.api = "${BASE_URL}";`,
        ],
      ]);
      assert.deepEqual(await pasteFor({ kind: "bundle" }), [
        ["key", `script.setAttribute("data-key", "${publicKey}");`],
        [
          "api_address",
          `script.src = trusted("${BASE_URL}/sdk/v2.js?with=engagement"); script.setAttribute("data-api", "${BASE_URL}");`,
        ],
      ]);
      assert.deepEqual(await pasteFor({ kind: "bundle", scriptUrl: null }), [
        ["key", `publicKey: "${publicKey}"`],
        ["api_address", `apiBaseUrl: "${BASE_URL}"`],
      ]);
      assert.deepEqual(await pasteFor({ apiBaseUrl: null }), [
        ["key", `data-key="${publicKey}"`],
        ["api_address", `src="${BASE_URL}/sdk/v2.js?with=engagement" data-api="${BASE_URL}"`],
      ]);
    });

    it("the policy to add names the right address, not the wrong one of the page", async () => {
      const old = "https://old.example";
      const snippets = [snippet({ scriptUrl: `${old}/sdk/v2.js`, apiBaseUrl: old })];
      const under = async (sources: string) => {
        const policies = [`script-src 'self'${sources}; connect-src 'self'${sources}`];
        const { checks } = await verified({ snippets, policies });
        return checks.filter(({ check }) => check.startsWith("csp_")).map(({ paste }) => paste);
      };
      assert.deepEqual(await under(""), [`script-src 'self' ${BASE_URL}`, `connect-src 'self' ${BASE_URL}`]);
      assert.deepEqual(await under(` ${BASE_URL}`), [null, null]);
    });

    it("for a policy that blocks the client, the answer contains the change: connect-src, script-src, nonce", async () => {
      const under = async (policy: string, over: Partial<PageSnippet> = {}) =>
        notOk(await verified({ policies: [policy], snippets: [snippet(over)] }));
      assert.deepEqual(await under(`default-src 'self'; script-src ${BASE_URL}`), [
        { check: "csp_connect", status: "wrong", paste: `connect-src 'self' ${BASE_URL}` },
      ]);
      assert.deepEqual(await under(`script-src 'none'; connect-src *`), [
        { check: "csp_script", status: "wrong", paste: `script-src ${BASE_URL}` },
      ]);
      const inline = { kind: "inline", hash: "sha256-abc=" } as const;
      assert.deepEqual(await under(`script-src ${BASE_URL}`, inline), [
        { check: "csp_script", status: "wrong", paste: `script-src ${BASE_URL} 'sha256-abc='` },
      ]);
      const nonce = `script-src 'nonce-r4nd0m' 'strict-dynamic'`;
      const paste = '<script nonce="…">';
      assert.deepEqual(await under(nonce, inline), [{ check: "csp_script", status: "wrong", paste }]);
      assert.deepEqual(await under(nonce, { ...inline, nonce: "r4nd0m" }), []);
    });

    it("Trusted Types must allow the policy headwater, except for a tag in the HTML", async () => {
      const inline = { kind: "inline", hash: null } as const;
      const under = async (policies: string[], over: Partial<PageSnippet> = inline) =>
        notOk(await verified({ policies, snippets: [snippet(over)] }));
      const required = "require-trusted-types-for 'script'";
      assert.deepEqual(await under([required]), []);
      for (const names of ["'none'", "nextjs 'allow-duplicates'"]) {
        const paste = `trusted-types ${names} headwater`.replace("'none' ", "");
        const problem = { check: "csp_script", status: "wrong", paste };
        assert.deepEqual(await under([`${required}; trusted-types ${names}`]), [problem]);
        assert.deepEqual(await under([required, `trusted-types ${names}`]), [problem]);
        assert.deepEqual(await under([`${required}; trusted-types ${names}`], {}), []);
        assert.deepEqual(await under([`trusted-types ${names}`]), [], "no address needs a policy");
      }
      for (const names of ["*", "other headwater"])
        assert.deepEqual(await under([`${required}; trusted-types ${names}`]), []);
    });

    it("a blocked script or request is named", async () => {
      const script = await verified({ script: "failed", request: null });
      const request = await verified({ request: { status: null, code: null } });
      for (const { isWorking, checks } of [script, request]) {
        assert.equal(isWorking, false);
        assert.equal(checks[5]?.status, "wrong");
        assert.match(checks[5]?.hint ?? "", /blocked_by_name/);
      }
    });

    it("an install whose request was refused, or answered by another service, does not work", async () => {
      const answered = async (status: number, code: string | null) => {
        const { isWorking, checks } = await verified({ request: { status, code } });
        return [isWorking, checks[5]?.status];
      };
      for (const [status, code] of [
        [404, null],
        [403, null],
        [403, "FORBIDDEN"],
        [302, null],
        [500, null],
        [502, "internal_error"],
        [404, "unknown_public_key"],
        [403, "source_inactive"],
        [422, "invalid_payload"],
      ] as const)
        assert.deepEqual(await answered(status, code), [false, "wrong"], `${status} ${code}`);
      for (const [status, code] of [
        [429, "rate_limited"],
        [503, null],
      ] as const)
        assert.deepEqual(await answered(status, code), [true, "warning"], `${status} ${code}`);
      assert.deepEqual(await answered(403, "session_expired"), [true, "ok"]);
    });

    it("without evidence that the service answered the page, the result is unknown", async () => {
      for (const request of [
        null,
        { status: 200, code: null },
        { status: 200, code: null, attemptId: null },
        { status: 204, code: null },
      ]) {
        const answer = await verified({ request });
        assert.deepEqual([answer.isWorking, answer.checks[5]?.status], [false, "unknown"]);
      }
    });

    it("a host or folder that is on blocking lists is a warning, with advice", async () => {
      const paste = `npx headwater source install ${source.sourceId} --proxy nginx --path /hw`;
      const named = [{ check: "blocked_by_name", status: "warning", paste }];
      const scriptUrl = "https://stats.shop.example/sdk/v2.js";
      const answer = await verified({ snippets: [snippet({ scriptUrl, apiBaseUrl: BASE_URL })] });
      assert.deepEqual(notOk(answer), named);
      assert.equal(answer.isWorking, true);
      const ownPath = (path: string) =>
        verified({ snippets: [snippet({ scriptUrl: null, apiBaseUrl: path })] });
      assert.deepEqual(notOk(await ownPath("/tracking")), named);
      assert.deepEqual(notOk(await ownPath("/hw")), []);
    });

    it("verifying changes nothing and records no attempt; a viewer may do it", async () => {
      const { token } = await world.serviceAccount("viewer");
      const audit = `/api/audit?organizationId=${ORGANIZATION_ID}`;
      const before = (await world.ask(audit)).body;
      assert.equal((await verify({ report: report() }, source, token)).status, 200);
      assert.deepEqual((await world.ask(audit)).body, before);
      const { body: debug } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug`);
      assert.deepEqual([debug.bootstrapAttempts, debug.health.status], [[], "waiting"]);
    });
  });

  describe("422", () => {
    it("a report must have every field, within its bounds", async () => {
      assert.deepEqual(issuesOf(await verify({})), ["report: required"]);
      const { sentAt, ...rest } = report();
      assert.deepEqual(issuesOf(await verify({ report: rest })), ["report.sentAt: required"]);
      const crowded = { ...report(), policies: Array.from({ length: 21 }, () => ""), colour: "red" };
      assert.deepEqual(issuesOf(await verify({ report: crowded })), [
        "report.colour: unknown_field",
        "report.policies: too_many",
      ]);
      const local = await verify({ report: { ...report(), url: "file:///etc/passwd" } });
      assert.deepEqual(issuesOf(local), ["report.url: invalid_value"]);
      assert.ok(sentAt);
    });
  });

  describe("404 and 405", () => {
    it("an unknown source, and any method but POST", async () => {
      refused(
        await verify({ report: report() }, { ...source, sourceId: "src_nobody" }),
        404,
        "source_not_found",
      );
      const path = `/api/tracking-sources/${source.sourceId}/verify`;
      refused(await world.ask(path), 405, "method_not_allowed");
    });
  });

  describe("401", () => {
    it("no token (the isolation matrix has every other caller)", async () => {
      const path = `/api/tracking-sources/${source.sourceId}/verify`;
      const body = { report: report() };
      refused(await world.ask(path, { method: "POST", token: null, body }), 401, "missing_token");
    });
  });
});
