/** The browser client and its optional parts, as pages of any origin load them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openWorld, refused } from "./support/world.ts";

test("The client and each optional part are scripts for any origin; another name is 404 route_not_found.", async () => {
  await using world = await openWorld();
  for (const path of [
    "v2.js",
    ...[
      "downloads",
      "engagement",
      "forms",
      "consent-signals",
      "outbound-links",
      "identity",
      "web-vitals",
    ].map((name) => `extras/${name}.js`),
  ]) {
    const { status, headers, body } = await world.ask(`/sdk/${path}`, { token: null });
    assert.equal(status, 200, path);
    assert.match(headers.get("content-type") ?? "", /^text\/javascript/);
    assert.equal(headers.get("access-control-allow-origin"), "*");
    // its names are its own: within a function, or a block in which nothing is declared for the whole page
    assert.match(body, /^(?:\(function\(\)\{|\{(?!.*\b(?:var |function \w)))/s);
  }
  refused(await world.ask("/sdk/extras/none.js", { token: null }), 404, "route_not_found");
});

test("A client that already has the script gets 304 without a body and with the same headers; another tag gets the script.", async () => {
  await using world = await openWorld();
  for (const path of ["/sdk/v2.js", "/sdk/extras/forms.js"]) {
    const ask = (tag: string, method = "GET") =>
      world.ask(path, { token: null, method, headers: { "If-None-Match": tag } });
    const { headers } = await world.ask(path, { token: null });
    const tag = headers.get("etag") ?? assert.fail("no ETag");
    for (const had of [tag, tag.replace("W/", ""), `"other", ${tag}`, "*"]) {
      for (const method of ["GET", "HEAD"]) {
        const reply = await ask(had, method);
        assert.deepEqual([reply.status, reply.body], [304, ""], had);
        for (const name of ["etag", "cache-control", "access-control-allow-origin"])
          assert.equal(reply.headers.get(name), headers.get(name), name);
      }
    }
    for (const other of ['"other"', tag.slice(3, -1), ""])
      assert.equal((await ask(other)).status, 200, other);
  }
});
