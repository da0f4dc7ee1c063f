/** Every address that people type for a website is understood, or refused with a reason (docs/api/sources.md). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { compileOrigins, normalizeOrigin } from "../src/origin.ts";
import { readOrigins, readSiteAddress } from "../src/source/site-address.ts";

describe("the address of a website", () => {
  const understood: [string, string][] = [
    ["example.com", "https://example.com"],
    ["www.example.com", "https://www.example.com"],
    ["Example.COM", "https://example.com"],
    ["example.com.", "https://example.com"],
    ["example.com/", "https://example.com"],
    ["example.com/shop/index.html", "https://example.com"],
    ["example.com?utm_source=x", "https://example.com"],
    ["example.com#top", "https://example.com"],
    ["//example.com", "https://example.com"],
    ["HTTPS://Example.com/path?x", "https://example.com"],
    ["http://example.com/path", "http://example.com"],
    ["  https://example.com/  ", "https://example.com"],
    ["https://example.com:443/", "https://example.com"],
    ["http://example.com:80", "http://example.com"],
    ["example.com:443", "https://example.com"],
    ["example.com:80", "http://example.com"],
    ["example.com:8443", "https://example.com:8443"],
    ["https://example.com:", "https://example.com"],
    ["https://user:secret@example.com/path", "https://example.com"],
    ["https:/example.com", "https://example.com"],
    ["https:example.com", "https://example.com"],
    ["https//example.com", "https://example.com"],
    ["https:///example.com", "https://example.com"],
    ["https;//example.com", "https://example.com"],
    ["https:\\\\example.com", "https://example.com"],
    ["htp://example.com", "http://example.com"],
    ["htps://example.com", "https://example.com"],
    ["htttps://example.com", "https://example.com"],
    ["ttps://example.com", "https://example.com"],
    ["http://https://example.com", "https://example.com"],
    ["https://https://example.com/a", "https://example.com"],
    ["https://example.com/a?b=https://other.example", "https://example.com"],
    ["\u200bhttps://example.com\ufeff", "https://example.com"],
    ['"https://example.com"', "https://example.com"],
    ["“example.com”,", "https://example.com"],
    ["<https://example.com>", "https://example.com"],
    ["(example.com)", "https://example.com"],
    ["münchen.de", "https://xn--mnchen-3ya.de"],
    ["https://München.de/Café", "https://xn--mnchen-3ya.de"],
    ["пример.рф", "https://xn--e1afmkfd.xn--p1ai"],
    ["例え.jp", "https://xn--r8jz45g.jp"],
    ["example。com", "https://example.com"],
    ["my_app.example.com", "https://my_app.example.com"],
    ["localhost", "http://localhost"],
    ["localhost:3000", "http://localhost:3000"],
    ["LOCALHOST:3000/login", "http://localhost:3000"],
    ["http://localhost:*", "http://localhost:*"],
    ["localhost:*", "http://localhost:*"],
    ["shop.localhost:8080", "http://shop.localhost:8080"],
    ["shop.test", "http://shop.test"],
    ["nas.local", "http://nas.local"],
    ["host.docker.internal:3000", "http://host.docker.internal:3000"],
    ["web:3000", "http://web:3000"],
    ["http://intranet", "http://intranet"],
    ["127.0.0.1:5173", "http://127.0.0.1:5173"],
    ["192.168.1.4", "http://192.168.1.4"],
    ["172.16.0.9:80", "http://172.16.0.9"],
    ["203.0.113.9", "https://203.0.113.9"],
    ["[::1]:3000", "http://[::1]:3000"],
    ["*.example.com", "https://*.example.com"],
    ["https://*.example.com/", "https://*.example.com"],
    ["*", "*"],
    ["capacitor://localhost", "capacitor://localhost"],
    ["app://.", "app://."],
    ["file:///Users/me/site/index.html", "file://"],
  ];
  for (const [text, origin] of understood)
    it(`${JSON.stringify(text)} is understood as ${origin}`, () => {
      assert.deepEqual(readSiteAddress(text), { origin, problem: null, meant: null });
    });

  it("`https://example.com.` is another origin, as browsers send it; the one without the dot is offered", () => {
    assert.deepEqual(readSiteAddress("https://example.com.:8080"), {
      origin: "https://example.com.:8080",
      problem: null,
      meant: "https://example.com:8080",
    });
  });

  const refused: [string, RegExp, string | null][] = [
    ["", /empty/, null],
    ["   ", /empty/, null],
    ["null", /only \* allows/, null],
    ["shop", /no ending such as \.com/, "http://shop"],
    ["My shop", /space/, null],
    ["example.com www.example.com", /space/, null],
    ["https://a.example/ https://b.example/", /space/, "https://a.example"],
    ["example.com,www.example.com", /comma/, null],
    ["https://example.com,https://www.example.com", /comma/, null],
    ["me@example.com", /email/, "https://example.com"],
    ["mailto:me@example.com", /not the address of a website/, null],
    ["javascript:alert(1)", /not the address of a website/, null],
    ["about:blank", /not the address of a website/, null],
    ["C:\\site\\index.html", /file path/, null],
    ["/var/www/html", /file path/, null],
    ["./index.html", /file path/, null],
    ["https://", /no host name/, null],
    ["example.com:abc", /port/, "https://example.com"],
    ["example.com:99999", /port/, null],
    ["https://example.com:443:443", /port/, "https://example.com"],
    ["*example.com", /\* can only stand/, "https://*.example.com"],
    ["a.*.example.com", /\* can only stand/, "https://*.example.com"],
    ["example.*", /\* can only stand/, null],
    ["https://*", /\* can only stand/, "*"],
    ["*://example.com", /instead of/, "https://example.com"],
    ["a..example.com", /host name is not valid/, null],
    ["ex%61mple.com", /host name is not valid/, null],
    ["999.1.1.1", /host name is not valid/, null],
    ["*.127.0.0.1", /host name is not valid/, null],
  ];
  for (const [text, reason, meant] of refused)
    it(`${JSON.stringify(text)} is refused: ${reason.source}`, () => {
      const read = readSiteAddress(text);
      assert.deepEqual([read.origin, read.meant], [null, meant]);
      assert.match(read.problem ?? "", reason);
    });

  it("a reason never repeats what was typed, which may have a password", () => {
    const [issue] = readOrigins(["https://me:hunter2@a..example"]).issues;
    assert.match(issue?.message ?? "", /is not an origin .*host name is not valid/);
    assert.doesNotMatch(issue?.message ?? "", /hunter2/);
  });

  const typed = fc.oneof(fc.string(), fc.webUrl(), fc.stringMatching(/^[a-z:/.*@\\?[\] ]{0,20}$/));

  it("is an origin in its normal form or has a reason, whatever is typed", () => {
    fc.assert(
      fc.property(typed, (text) => {
        const { origin, problem, meant } = readSiteAddress(text);
        assert.notEqual(origin === null, problem === null);
        for (const one of [origin, meant]) if (one !== null) assert.equal(normalizeOrigin(one), one);
      }),
    );
  });

  it("is never corrected to a pattern that was not typed", () => {
    fc.assert(
      fc.property(typed, (text) => {
        const { origin } = readSiteAddress(text);
        if (origin?.includes("*")) assert.ok(text.includes("*"));
      }),
    );
    assert.ok(!compileOrigins(readOrigins(["example.com"]).origins).allows("https://www.example.com"));
  });
});
