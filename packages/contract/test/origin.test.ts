import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { compileOrigins, normalizeOrigin } from "../src/origin.ts";
import { readOrigins, suggestOrigin } from "../src/source/site-address.ts";

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const host = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join("."));
const scheme = fc.constantFrom("https", "http", "capacitor", "chrome-extension");
const port = fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: null });
const origin = fc
  .record({ scheme, host, port })
  .map((parts) => `${parts.scheme}://${parts.host}${parts.port === null ? "" : `:${parts.port}`}`);

describe("an allowed origin", () => {
  const normal: [string, string][] = [
    ["https://Example.COM/", "https://example.com"],
    ["HTTPS://EXAMPLE.COM:443", "https://example.com"],
    ["http://example.com:80", "http://example.com"],
    ["https://example.com:80", "https://example.com:80"],
    ["http://example.com:0080", "http://example.com"],
    ["  https://example.com  ", "https://example.com"],
    ["https://münchen.de", "https://xn--mnchen-3ya.de"],
    ["https://ＥＸＡＭＰＬＥ.com", "https://example.com"],
    ["http://localhost:*", "http://localhost:*"],
    ["https://*.Example.com", "https://*.example.com"],
    ["https://*.bücher.example:*", "https://*.xn--bcher-kva.example:*"],
    ["*", "*"],
    ["capacitor://localhost", "capacitor://localhost"],
    ["chrome-extension://ABCDEFGHIJKLMNOP", "chrome-extension://abcdefghijklmnop"],
    ["vscode-webview://0123456789", "vscode-webview://0123456789"],
    ["capacitor://localhost:443", "capacitor://localhost:443"],
    ["http://0x7f.1", "http://127.0.0.1"],
    ["http://[0:0::1]:3000", "http://[::1]:3000"],
    ["https://my_app.example.com", "https://my_app.example.com"],
    ["https://Example.com.", "https://example.com."],
    ["http://*.example.com.:8080", "http://*.example.com.:8080"],
    ["app://.", "app://."],
    ["app://./", "app://."],
    ["file://", "file://"],
    ["file:///", "file://"],
  ];
  for (const [text, expected] of normal) {
    it(`${JSON.stringify(text)} is kept as ${expected}`, () => assert.equal(normalizeOrigin(text), expected));
  }

  const refused: [string, string | null][] = [
    ["example.com", "https://example.com"],
    ["localhost:3000", "http://localhost:3000"],
    ["192.168.1.4:8080", "http://192.168.1.4:8080"],
    ["//example.com", "https://example.com"],
    ["https://example.com/path?query#fragment", "https://example.com"],
    ["https://example.com?", "https://example.com"],
    ["https://user:secret@example.com", "https://example.com"],
    ["*.example.com", "https://*.example.com"],
    ["https://*example.com", "https://*.example.com"],
    ["https://a.*.example.com", "https://*.example.com"],
    ["*://example.com", "https://example.com"],
    ["https://*", "*"],
    ["https://example.*", null],
    ["https:/example.com", "https://example.com"],
    ["https:\\\\example.com", "https://example.com"],
    ["https://example.com:abc", "https://example.com"],
    ["https://example.com:99999", null],
    ["https://example.com..", "https://example.com"],
    ["https://.", null],
    ["app://..", null],
    ["app://*..", null],
    ["https://.example.com", "https://example.com"],
    ["https://a..example.com", null],
    ["https://ex%61mple.com", null],
    ["https://exa mple.com", null],
    ["http://*.127.0.0.1", null],
    ["https://", null],
    ["app://", null],
    ["", null],
  ];
  for (const [text, meant] of refused) {
    it(`${JSON.stringify(text)} is refused${meant === null ? "" : `; ${meant} was probably meant`}`, () => {
      assert.deepEqual([normalizeOrigin(text), suggestOrigin(text)], [null, meant]);
    });
  }

  it("`null` is refused without a suggestion: only `*` lets it in", () => {
    const { origins, issues } = readOrigins(["null", "https://ok.example"]);
    assert.deepEqual(origins, ["https://ok.example"]);
    assert.doesNotMatch(issues[0]!.message, /did you mean/);
  });

  it("in its normal spelling is normal", () => {
    fc.assert(
      fc.property(fc.oneof(origin, fc.webUrl(), fc.string()), (text) => {
        const once = normalizeOrigin(text);
        if (once !== null) assert.equal(normalizeOrigin(once), once);
      }),
    );
  });

  it("that is suggested would be taken", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.webUrl(), fc.stringMatching(/^[a-z:/.*@\\?[\]]{0,20}$/)),
        (text) => {
          const meant = suggestOrigin(text);
          if (meant !== null) assert.equal(normalizeOrigin(meant), meant);
        },
      ),
    );
  });
});

describe("matching", () => {
  it("an origin passes its own list, in any case and with its default port", () => {
    fc.assert(
      fc.property(origin, (text) => {
        const matcher = compileOrigins(readOrigins([text]).origins);
        assert.ok(matcher.allows(text));
        assert.ok(matcher.allows(text.toUpperCase()));
        if (/^https:\/\/[a-z0-9.]+$/.test(text)) assert.ok(matcher.allows(`${text}:443`));
      }),
    );
  });

  it("another scheme, host or port does not pass", () => {
    fc.assert(
      fc.property(origin, origin, (allowed, asked) => {
        const same = normalizeOrigin(allowed) === normalizeOrigin(asked);
        assert.equal(compileOrigins(readOrigins([allowed]).origins).allows(asked), same);
      }),
    );
  });

  it("a pattern passes every depth of sub-domain, not the apex", () => {
    fc.assert(
      fc.property(host, fc.array(label, { minLength: 1, maxLength: 5 }), (apex, labels) => {
        const { allows } = compileOrigins([`https://*.${apex}`]);
        assert.ok(allows(`https://${labels.join(".")}.${apex}`));
        assert.ok(!allows(`https://${apex}`));
        assert.ok(!allows(`https://${labels.join("")}${apex}`));
        assert.ok(!allows(`http://${labels.join(".")}.${apex}`));
        assert.ok(!allows(`https://${labels.join(".")}.${apex}:8443`));
      }),
    );
  });

  it("is anchored: nothing before or behind an allowed origin makes it pass", () => {
    const lists = ["https://example.com", "https://*.example.com", "http://localhost:*"];
    const { allows } = compileOrigins(lists);
    const tricks = [
      "https://x.example.com.evil.io",
      "https://example.com.evil.io",
      "https://evilexample.com",
      "https://evil-example.com",
      "https://example.com@evil.io",
      "https://evil.io#https://example.com",
      "https://evil.io?x=https://example.com",
      "https://evil.io/https://example.com",
      "https://evil.io\\@example.com",
      "https://example.com%2eevil.io",
      "https://evil.io%2f.example.com",
      "https://example.com:443@evil.io",
      "https://example.com.",
      "https://a.example.com.",
      "file://",
      "app://.",
      "https://.example.com",
      "https://..example.com",
      "https://*.example.com",
      "https://example.com:8443",
      "http://example.com",
      "http://localhost.evil.io:80",
      "http://localhost:*",
      "http://localhost:99999",
      "http://localhost:80:80",
      "https://localhost:3000",
      " https://example.com",
      "https://example.com\n",
      "https://example.com https://evil.io",
      "https://examp\u200ble.com.evil.io",
      "null",
      "",
      "*",
      `https://${"a.".repeat(5_000)}example.com`,
    ];
    for (const trick of tricks) assert.equal(allows(trick), false, trick);
    for (const good of [
      "https://example.com",
      "https://a.b.example.com",
      "http://localhost",
      "http://localhost:5173",
    ]) {
      assert.ok(allows(good), good);
    }
  });

  it("in other scripts is by punycode, so that look-alikes differ", () => {
    const { allows } = compileOrigins(readOrigins(["https://bücher.example"]).origins);
    assert.ok(allows("https://xn--bcher-kva.example"));
    assert.ok(allows("https://BÜCHER.example"));
    assert.ok(!allows("https://bucher.example"));
    assert.ok(!compileOrigins(["https://example.com"]).allows("https://ехample.com"));
  });

  it("`Origin: null` passes `*` only, and an empty list nothing", () => {
    const every = compileOrigins(["https://example.com", "*"]);
    assert.ok(every.any && every.allows("null") && every.allows("whatever://x"));
    fc.assert(fc.property(fc.oneof(origin, fc.string()), (text) => !compileOrigins([]).allows(text)));
  });

  it("never throws, whatever the header holds", () => {
    const { allows } = compileOrigins(["https://example.com", "https://*.example.com:*"]);
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => typeof allows(text) === "boolean"));
  });
});
