/** The normalized form of e-mail addresses (docs/api/accounts.md). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toEmailAddress } from "../../src/mail/email-address.ts";

test("An address has a normalized form: ASCII letters in lower case, and the domain as ASCII.", () => {
  const cases: [typed: string, stored: string][] = [
    ["Ada.L+x@Shop.Example", "ada.l+x@shop.example"],
    ["ada@K\u00f6ln.example", "ada@xn--kln-sna.example"],
    ["ada@ko\u0308ln.example", "ada@xn--kln-sna.example"],
    ["ada@XN--KLN-SNA.example", "ada@xn--kln-sna.example"],
    ["ada@shop\u3002example", "ada@shop.example"],
    ["ada@\uff53hop\uff0eexample", "ada@shop.example"],
    ["ada@\u212aim\uff61example", "ada@kim.example"],
    ["\u00d6zg\u00fcr@shop.example", "\u00d6zg\u00fcr@shop.example"],
    ["root@localhost", "root@localhost"],
  ];
  for (const [typed, stored] of cases) {
    assert.equal(toEmailAddress(typed), stored, typed);
    assert.equal(toEmailAddress(stored), stored, "a normalized address stays as it is");
  }
});

test("Texts that mail programs read in another way than people are not addresses.", () => {
  const names = [
    "",
    ".a",
    "a.",
    "a..b",
    '"a"',
    "a(b)",
    "a b",
    "a\\b",
    "a\tb",
    "a\r\nb",
    "a\u0000",
    "a,b",
    "<a>",
    "a:b",
    "a@b",
  ];
  const hidden = [
    "a\u200bb",
    "a\u202eb",
    "a\u2066b",
    "a\ufeffb",
    "a\u00adb",
    "a\u3164b",
    "a\u115fb",
    "a\ufe0fb",
  ];
  const spelt = ["\u212aim", "\u017fam", "\uff41da", "u\u0308ber", "\ufb01n"];
  for (const name of [...names, ...hidden, ...spelt])
    assert.equal(toEmailAddress(`${name}@shop.example`), null, JSON.stringify(name));
  const domains = [
    "",
    "shop.example.",
    ".shop.example",
    "a..b",
    "sh\u200bop.example",
    "shop\u00ad.example",
    "shop.example(x)",
  ];
  const hosts = [
    "[127.0.0.1]",
    "127.0.0.1",
    "0x7f.1",
    "a/b",
    "a%41.example",
    "a:25",
    "-a.example",
    "a_b.example",
    "a b",
  ];
  for (const domain of [...domains, ...hosts, "\u202eshop.example", "shop.example\u0000"])
    assert.equal(toEmailAddress(`ada@${domain}`), null, JSON.stringify(domain));
  assert.equal(toEmailAddress("shop.example"), null);
  assert.equal(
    toEmailAddress(`a@${"\u00f6".repeat(20)}.${"a.".repeat(110)}example`),
    null,
    "too long as ASCII",
  );
});
