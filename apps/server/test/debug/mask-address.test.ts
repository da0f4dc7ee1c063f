/** Cleaning removes secrets from addresses and titles, whatever they look like. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { SOURCE_DEFAULTS } from "@headwater/contract";
import fc from "fast-check";
import { compileAddressRules } from "../../src/ingest/address-rules.ts";
import { addressOf } from "../../src/ingest/page-address.ts";
import { maskString } from "../../src/masking/mask.ts";
import { maskAddress, maskWholly } from "../../src/masking/mask-address.ts";
import { PLANTED_SECRETS } from "../support/planted-secrets.ts";
import { realEmail } from "../support/real-email.ts";

/** Ten times as many in the long tests. */
const RUNS = { numRuns: process.env.TEST_LONG ? 10_000 : 1_000 };
const { pathRules } = SOURCE_DEFAULTS;
const RULES = [
  compileAddressRules({ queryParameters: "all", pathRules }),
  compileAddressRules(SOURCE_DEFAULTS),
  compileAddressRules({
    queryParameters: ["q", "filter_*"],
    pathRules: {
      removeIndex: true,
      removeTrailingSlash: true,
      lowerCase: true,
      patterns: ["/orders/*", "/docs/**", "/a-*/x", "/**/edit"],
    },
  }),
];

/** Ordinary addresses, none of which is masked. */
const KEPT = [
  "https://shop.example/products/4006381333931?order=4111111111111112&page=2#reviews",
  "https://shop.example/?code=DE&state=California&utm_source=news&gclid=Cj0KCQiA3sq6BhD2ARIsAJ8MRwVQx4x7",
  "https://shop.example/docs/reset-password/how-to-2026",
  "https://shop.example/orders/confirm/10023456",
  "https://medium.example/@ann/keyboards?keyword=monkey&author=x",
  "/relative/path?x=1",
  "https://shop.example/blog?title=Password%3A%20how%20to%20reset%20it",
  "https://shop.example/hooks/react-use-state",
  "https://shop.example/?a=1&copy=2&lt=3",
  "Password: how to reset it",
  "Cookie: policy",
];

/** Text in which names, signs and encodings of addresses occur often. */
const piece = fc.constantFrom(
  ..."/ // ? & = # ; : @ % %40 %2F %3D %26 %7B %22 { } [ ] \" ' < > \\ \t . - _ ~ + , a B 1 ü 日".split(" "),
  ..."https:// shop.example token code= state= key eyJ reset index.html orders utm_source= [email] [masked]".split(
    " ",
  ),
  ..."4111111111111111 passwörd bearer jsessionid".split(" "),
);
const oddText = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));
const anyText = fc.oneof(
  oddText,
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
);

/** A text that no generated text contains by chance. */
const secret = fc.stringMatching(/^[A-Z0-9]{6}Q7Z[a-z0-9]{4,20}$/);
const secretName = fc.constantFrom(
  ..."token access_token Password api_key key sid sessionId session_id PHPSESSID signature X-Amz-Signature auth csrf code state otp".split(
    " ",
  ),
);
/** A word whose letters form no name of a secret. */
const word = fc.stringMatching(/^[aeghlmru]{1,8}$/);
/** The ways in which a secret gets into an address. */
const planted = fc.oneof(
  fc
    .tuple(secretName, secret, word)
    .map(([name, hidden, other]) => [hidden, `?${other}=1&${name}=${hidden}&z=2`]),
  fc.tuple(secretName, secret).map(([name, hidden]) => [hidden, `#/route?${name}=${hidden}`]),
  fc
    .tuple(secretName, secret)
    .map(([name, hidden]) => [hidden, `?next=${encodeURIComponent(`/x?${name}=${hidden}`)}`]),
  fc.tuple(secret, word).map(([hidden, other]) => [hidden, `/${other}/reset/${hidden}`]),
  fc.tuple(secret, word).map(([hidden, other]) => [hidden, `?${other}=${hidden}@mail.example`]),
  fc.tuple(secret, word).map(([hidden, other]) => [hidden, `/${other}/${hidden}%40mail.example`]),
  secret.map((hidden) => [hidden, `?x=eyJhbGciOiJub25lIn0.eyJ${hidden}.c2ln`]),
) as fc.Arbitrary<[string, string]>;

describe("cleaning an address", () => {
  for (const { secret: hidden, page } of PLANTED_SECRETS) {
    it(`removes ${hidden} of ${JSON.stringify(page)}`, () => {
      for (const text of [page.url, page.referrer, page.path])
        if (text) ok(!maskAddress(text).includes(hidden), maskAddress(text));
      ok(!maskString(page.title ?? "").includes(hidden));
    });
  }

  for (const text of KEPT) it(`leaves ${text}`, () => equal(maskAddress(text), text));

  it("removes an e-mail address of any form, plain and encoded", () => {
    fc.assert(
      fc.property(realEmail, word, (email, before) => {
        for (const written of [email, encodeURIComponent(email), email.replace("@", "%2540")]) {
          equal(maskAddress(`/${before}/${written}/x`), `/${before}/[email]/x`);
          equal(maskString(`${before} ${written}, ${before}`), `${before} [email], ${before}`);
        }
      }),
      RUNS,
    );
  });

  it("reads names whose brackets, hyphens or letters are encoded", () => {
    for (const name of ["user%5Bkey%5D", "reset%2Dkey", "%6bey", "user%255Bsid%255D"])
      ok(!maskAddress(`https://shop.example/?${name}=Q7Zabc`).includes("Q7Z"), name);
  });

  it("never leaves a planted secret, even where other text surrounds it", () => {
    fc.assert(
      fc.property(planted, word, fc.constantFrom(...RULES), ([hidden, rest], before, rules) => {
        for (const url of [`https://shop.example/${before}${rest}`, `/${before}${rest}`]) {
          const { address } = addressOf({ url, path: null, requestOrigin: null }, rules);
          ok(!JSON.stringify(address).includes(hidden), JSON.stringify(address));
          const { address: byPath } = addressOf(
            { url: null, path: url, requestOrigin: "https://shop.example" },
            rules,
          );
          ok(!JSON.stringify(byPath).includes(hidden), JSON.stringify(byPath));
        }
      }),
      RUNS,
    );
  });

  it("changes nothing the second time, and fails on no text", () => {
    fc.assert(
      fc.property(anyText, anyText, fc.constantFrom(...RULES), (url, path, rules) => {
        const requestOrigin = "https://shop.example";
        const { address: once } = addressOf({ url, path, requestOrigin }, rules);
        // what is left of an address without its parameters, or without its query, can look like a secret
        if (once.url !== null && rules.cleanQuery === null)
          deepEqual(
            addressOf({ url: once.url, path: once.path, requestOrigin }, rules).address.url,
            once.url,
          );
        if (once.path !== null && !/[?#]/.test(url + path))
          equal(rules.cleanPath(maskWholly(once.path)), once.path);
        const title = maskWholly(path);
        equal(maskWholly(title), title);
      }),
      RUNS,
    );
  });

  it("takes a time that grows with the length of the address only", () => {
    const pieces = [
      "/reset",
      "/index.html",
      "%2Freset",
      "?token=",
      "&key=a",
      "a@b",
      "/a1b2c3d",
      "=",
      "{",
      "//",
    ];
    for (const text of pieces.map((one) => one.repeat(200_000 / one.length)))
      for (const rules of RULES) addressOf({ url: text, path: text, requestOrigin: null }, rules);
  });
});
