/** How a source stores addresses of pages (docs/api/sources.md and docs/api/stored-events.md): `queryParameters` and `pathRules`. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { normalizePath } from "@headwater/contract/path-pattern";
import { rowsOf, storedEvent } from "../ledger/reader.ts";
import {
  bootstrapBody,
  bootstrapPath,
  fresh,
  issuesOf,
  ORGANIZATION_ID,
  ORIGIN,
  openWorld,
  outcomesOf,
  pageEvent,
  type World,
} from "../support/world.ts";

const OFF = { removeIndex: false, removeTrailingSlash: false, lowerCase: false, patterns: [] };

describe("Addresses of pages", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world[Symbol.asyncDispose]());

  const patch = ({ sourceId }: { sourceId: string }, body: object) =>
    world.ask(`/api/tracking-sources/${sourceId}`, {
      method: "PATCH",
      body: { organizationId: ORGANIZATION_ID, ...body },
    });

  /** The stored page of a view, and the session's landing page. */
  async function stored(source: { publicKey: string }, page: object) {
    const event = pageEvent({ page });
    const sent = { page, batchId: fresh("batch"), sentAt: new Date().toISOString(), events: [event] };
    const reply = await world.send(bootstrapPath(source), bootstrapBody(sent));
    assert.deepEqual(outcomesOf(reply), ["accepted"]);
    const sql = "select landing from sessions where session_id = ?";
    const landing = JSON.parse(rowsOf(world.dataDir, sql, reply.body.sessionId)[0].landing);
    return { page: storedEvent(world.dataDir, event.id).page, landing };
  }
  const pathOf = async (source: { publicKey: string }, path: string) =>
    (await stored(source, { url: ORIGIN + path })).page.path;

  it("a new source stores campaign parameters only, in url, query, referrer and landing page", async () => {
    const source = await world.createSource();
    const { page, landing } = await stored(source, {
      url: `${ORIGIN}/a?x=1&utm_source=news&UTM_Medium=mail&gclid=g&ref=friend&y=2#top`,
      referrer: "https://search.example/find?q=words&mtm_campaign=m#q=words",
    });
    const query = "utm_source=news&UTM_Medium=mail&gclid=g&ref=friend";
    assert.deepEqual([page.url, page.query], [`${ORIGIN}/a?${query}#top`, query]);
    assert.deepEqual([page.utm, page.clickIds], [{ source: "news", medium: "mail" }, { gclid: "g" }]);
    assert.equal(page.referrer, "https://search.example/find?mtm_campaign=m");
    assert.equal(page.referrerHost, "search.example");
    assert.deepEqual([landing.url, landing.referrer], [page.url, page.referrer]);
  });

  it("`all` stores every parameter; a list stores those it names, and UTM fields are read in any case", async () => {
    const url = `${ORIGIN}/a?x=1&utm_source=news&filter_size=m&filter=2#/route?x=3`;
    const all = await stored(await world.createSource({ queryParameters: "all" }), { url });
    assert.equal(all.page.url, url);
    const source = await world.createSource({ queryParameters: ["x", "filter_*"] });
    const { page } = await stored(source, { url });
    assert.equal(page.url, `${ORIGIN}/a?x=1&filter_size=m#/route?x=3`);
    assert.deepEqual(page.utm, { source: "news" });
    assert.deepEqual((await patch(source, { queryParameters: [] })).body.queryParameters, []);
    assert.equal((await stored(source, { url })).page.url, `${ORIGIN}/a#/route`);
  });

  it("no source stores the parameter of a link that continues a visit", async () => {
    const source = await world.createSource({ queryParameters: "all" });
    const visit = `_hw=${"a".repeat(32)}.ses_1.abc.x1`;
    for (const [sent, expected] of [
      [`/pay?${visit}`, "/pay"],
      [`/pay?${visit}&${visit}#top`, "/pay#top"],
      [`/pay?a=1&${visit}&b=2`, "/pay?a=1&b=2"],
      [`/pay?a=1&${visit}#/x?${visit}`, "/pay?a=1#/x"],
      ["/pay?a_hw=1", "/pay?a_hw=1"],
    ]) {
      const url = `${ORIGIN}${sent}`;
      const { page, landing } = await stored(source, { url, referrer: url });
      assert.deepEqual([page.url, page.referrer, landing.url], Array(3).fill(`${ORIGIN}${expected}`));
    }
  });

  it("path rules change the path and not the url; each can be changed alone", async () => {
    const patterns = ["/orders/new", "/orders/*", "/docs/**", "/**/edit", "/u-*/x"];
    const source = await world.createSource({ pathRules: { removeTrailingSlash: true, patterns } });
    assert.deepEqual(source.pathRules, { ...OFF, removeTrailingSlash: true, patterns });
    for (const [path, expected] of [
      ["/", "/"],
      ["/shop//a/", "/shop/a"],
      ["/shop/index.html", "/shop/index.html"],
      ["/orders/17/", "/orders/*"],
      ["/orders/new", "/orders/new"],
      ["/orders/17/items", "/orders/17/items"],
      ["/orders", "/orders"],
      ["/docs/a/b/c", "/docs/**"],
      ["/docs", "/docs"],
      ["/a/b/edit", "/**/edit"],
      ["/edit", "/edit"],
      ["/u-17/x", "/u-*/x"],
    ] as const)
      assert.equal(await pathOf(source, path), expected, path);
    const { body } = await patch(source, { pathRules: { removeIndex: true, lowerCase: true } });
    assert.deepEqual(body.pathRules, {
      removeIndex: true,
      removeTrailingSlash: true,
      lowerCase: true,
      patterns,
    });
    const { page } = await stored(source, { url: `${ORIGIN}/Shop/Index.PHP?utm_source=a` });
    assert.deepEqual([page.path, page.url], ["/shop", `${ORIGIN}/Shop/Index.PHP?utm_source=a`]);
    assert.equal((await stored(source, { url: `${ORIGIN}/`, path: "/ORDERS/9" })).page.path, "/orders/*");
  });

  it("with hash routing the path includes the fragment, cleaned and without its query", async () => {
    const pathRules = { removeTrailingSlash: true, patterns: ["/orders/*"] };
    const source = await world.createSource({ pathRules });
    for (const [address, path] of [
      ["/app", "/app"],
      ["/app#/", "/app#/"],
      ["/app/?a=1#/orders/17/?tab=1", "/app#/orders/*"],
      ["/app#about", "/app#about"],
      ["/app#access_token=abc&state=1", "/app"],
      ["/#/invite/4f9Kx0aB12cD", "/#/invite/[masked]"],
      ["/#/users/ann@example.com", "/#/users/[email]"],
    ] as const) {
      const { page } = await stored(source, { url: ORIGIN + address, hashRouting: true });
      assert.equal(page.path, path, address);
      assert.equal((await stored(source, { url: ORIGIN + address })).page.path, path.split("#")[0]);
    }
  });

  it("patterns may have letters that URLs percent-encode", async () => {
    const patterns = ["/größen/*", "/日本/**"];
    for (const lowerCase of [false, true]) {
      const source = await world.createSource({
        excludedPaths: ["/über*"],
        pathRules: { lowerCase, patterns },
      });
      const events = ["/über-uns", "/%C3%BCber", "/ueber"].map((path) =>
        pageEvent({ page: { url: ORIGIN + path } }),
      );
      const body = bootstrapBody({ events, batchId: "b", sentAt: new Date().toISOString() });
      const outcomes = outcomesOf(await world.send(bootstrapPath(source), body));
      assert.deepEqual(outcomes, ["rejected path_excluded", "rejected path_excluded", "accepted"]);
      for (const [path, merged] of [
        ["/größen/38", "/größen/*"],
        ["/日本/a/b", "/日本/**"],
      ] as const) {
        const { page } = await stored(source, { url: ORIGIN + path });
        assert.equal(decodeURI(page.path), merged);
      }
    }
  });

  it("equivalent percent-encodings are one path, before rules and exclusions", async () => {
    const source = await world.createSource({
      excludedPaths: ["/admin/*"],
      pathRules: { patterns: ["/orders/*"] },
    });
    for (const [path, expected] of [
      ["/caf%C3%A9", "/caf%C3%A9"],
      ["/caf%c3%a9", "/caf%C3%A9"],
      ["/c%61f\u00e9", "/caf%C3%A9"],
      ["/%6Frders/17", "/orders/*"],
      ["/a%2fb%2Fc", "/a%2Fb%2Fc"],
      ["/%7Eann/a-b_c.d", "/~ann/a-b_c.d"],
      ["/a b", "/a%20b"],
      ["/50%", "/50%"],
      ["/%zz/%e", "/%zz/%e"],
      ["/%ff", "/%FF"],
      ["/a|b^c", "/a%7Cb%5Ec"],
      ["/a%7cb%5ec", "/a%7Cb%5Ec"],
    ] as const) {
      assert.equal(await pathOf(source, path), expected, path);
      const { page } = await stored(source, { url: `${ORIGIN}/`, path });
      assert.equal(page.path, expected, `${path} as a path`);
    }
    const events = ["/%61dmin/x", "/admin/x"].map((path) => pageEvent({ page: { url: ORIGIN + path } }));
    const body = bootstrapBody({ events, batchId: "b", sentAt: new Date().toISOString() });
    const excluded = "rejected path_excluded";
    assert.deepEqual(outcomesOf(await world.send(bootstrapPath(source), body)), [excluded, excluded]);
  });

  it("lowerCase lowers the letters of every script, and no percent-encoding", async () => {
    const source = await world.createSource({ pathRules: { lowerCase: true } });
    for (const [path, expected] of [
      ["/Über", "/über"],
      ["/%C3%9CBER", "/über"],
      ["/ΑΘΗΝΑ/МОСКВА", "/αθηνα/москва"],
      ["/𐐀", "/𐐨"],
      ["/A%2FÉ", "/a%2Fé"],
      ["/%FF%C3%89", "/%FF%C3%A9"],
    ] as const)
      assert.equal(await pathOf(source, path), normalizePath(expected), path);
  });

  it("422 names a pattern that no stored path can match", async () => {
    const source = await world.createSource({ pathRules: { removeTrailingSlash: true, removeIndex: true } });
    const wrong = await patch(source, {
      goals: [
        { name: "Thanked", path: "/thanks/" },
        { name: "Read", path: "/docs/*" },
        { name: "Home", path: "/" },
      ],
      excludedPaths: ["/index.html", "/admin*"],
    });
    assert.deepEqual(issuesOf(wrong), ["excludedPaths.0: invalid_value", "goals.0.path: invalid_value"]);
    const messages = wrong.body.issues.map(({ message }: { message: string }) => message).join("\n");
    assert.match(messages, /store "\/thanks\/" as "\/thanks"/);
    await patch(source, { excludedPaths: ["/orders/17"] });
    const merged = await patch(source, { pathRules: { patterns: ["/orders/*", "/a/"] } });
    assert.deepEqual(issuesOf(merged), [
      "excludedPaths.0: invalid_value",
      "pathRules.patterns.1: invalid_value",
    ]);
    // upper case is not a reason: patterns are lowered as paths are
    assert.equal(
      (await patch(source, { pathRules: { lowerCase: true }, excludedPaths: ["/Ü*"] })).status,
      200,
    );
  });

  it("excludedPaths match the stored path", async () => {
    const source = await world.createSource({ excludedPaths: ["/admin"], pathRules: { lowerCase: true } });
    const events = [pageEvent({ page: { url: `${ORIGIN}/Admin` } })];
    const body = bootstrapBody({ events, batchId: "b", sentAt: new Date().toISOString() });
    assert.deepEqual(outcomesOf(await world.send(bootstrapPath(source), body)), ["rejected path_excluded"]);
  });

  it("a value that is too long is masked before it is cut", async () => {
    const source = await world.createSource({ queryParameters: "all" });
    const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
    const url = `${ORIGIN}/${"a".repeat(4_060 - ORIGIN.length)}/${jwt}`;
    const { page } = await stored(source, { url, title: `${"a".repeat(490)} ${jwt}` });
    assert.doesNotMatch(JSON.stringify(page), /eyJ/);
  });

  it("422 names the value that is wrong", async () => {
    const source = await world.createSource();
    const reply = await patch(source, {
      queryParameters: ["ok", "a b"],
      pathRules: { patterns: ["orders", "/a/**/b/**"], upperCase: true },
    });
    assert.deepEqual(issuesOf(reply), [
      "pathRules.patterns.0: invalid_value",
      "pathRules.patterns.1: invalid_value",
      "pathRules.upperCase: unknown_field",
      "queryParameters.1: invalid_value",
    ]);
    const wrong = await patch(source, { queryParameters: "some" });
    assert.deepEqual(issuesOf(wrong), ["queryParameters: invalid_value"]);
    assert.match(wrong.body.issues[0].message, /must be one of all, campaign/);
    assert.deepEqual(issuesOf(await patch(source, { queryParameters: 5 })), [
      "queryParameters: invalid_type",
    ]);
    const many = Array.from({ length: 51 }, (_, index) => `/${index}`);
    assert.deepEqual(issuesOf(await patch(source, { pathRules: { patterns: many } })), [
      "pathRules.patterns: too_many",
    ]);
  });
});
