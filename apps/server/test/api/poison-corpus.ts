/** Hostile bodies and headers, each with a name, for every route. */
import { gzipSync } from "node:zlib";

export interface Poison {
  what: string;
  body: string | Uint8Array;
  headers?: Record<string, string>;
}

const gzip = { "content-encoding": "gzip" };
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));
const DEEP = 100_000;
const nest = (open: string, inside: string, close: string, levels: number) =>
  `${open.repeat(levels)}${inside}${close.repeat(levels)}`;

/** A hostile value as JSON text. */
const VALUES: Record<string, string> = {
  "a list 100,000 deep": nest("[", "", "]", DEEP),
  "an object 100,000 deep": nest('{"a":', "1", "}", DEEP),
  "__proto__ at every depth": nest('{"__proto__":', '{"isAdmin":true}', "}", 200),
  "constructor at every depth": nest('{"constructor":{"prototype":', '{"polluted":1}', "}}", 100),
  "names of Object's own":
    '{"hasOwnProperty":1,"toString":null,"valueOf":[],"toJSON":"x","then":"y","length":-1}',
  "1e400": "1e400",
  "-1e400": "-1e400",
  "a number of 100,000 digits": "9".repeat(100_000),
  "1e-99999": "1e-99999",
  "-0": "-0",
  NUL: '"\\u0000"',
  "lone surrogates": '"\\ud800\\udc00\\udc00\\ud800"',
  "a lone surrogate as key": '{"\\udfff":"\\ud800"}',
  "duplicate keys": '{"a":1,"a":{"b":2},"a":[]}',
  "an empty key": '{"":{"":{"":1}}}',
  "a key of 60 KB": `{"${"k".repeat(60_000)}":1}`,
  "10,000 keys": `{${Array.from({ length: 10_000 }, (_, key) => `"k${key}":${key}`).join(",")}}`,
  "a list of 100,000": `[${"0,".repeat(99_999)}0]`,
  "a string of 400 KB": `"${"x".repeat(400_000)}"`,
  "right-to-left and joiners": '"\\u202e\\u200d\\u2028\\u2029\\ufeff\\ufff9"',
  SQL: `"'; drop table sources; --"`,
  markup: '"<script>alert(1)</script>{{7*7}}%s%n\\r\\nSet-Cookie: a=b"',
  "2026-02-30": '"2026-02-30T00:00:00.000Z"',
  "year 275760": '"+275760-09-13T00:00:00.001Z"',
  "an epoch number": "1700000000000",
  "a leap second": '"2026-12-31T23:59:60Z"',
  true: "true",
  null: "null",
  "an empty text": '""',
  "an empty list": "[]",
  "an empty object": "{}",
};

/** Bodies that are not JSON, or not in the encoding that their headers name. */
const BODIES: Poison[] = [
  { what: "nothing", body: "" },
  { what: "a space", body: " " },
  { what: "an open brace", body: "{" },
  { what: "cut in a string", body: '{"ingestVersion":2,"sdkVersion":"te' },
  { what: "cut in an escape", body: '{"a":"\\u00' },
  { what: "a trailing comma", body: '{"a":1,}' },
  { what: "two values", body: "{}{}" },
  { what: "single quotes", body: "{'a':1}" },
  { what: "a comment", body: "{/* a */}" },
  { what: "NaN", body: '{"a":NaN}' },
  { what: "a raw control character", body: '{"a":"\u0001"}' },
  { what: "a raw NUL", body: '{"a":"\u0000"}' },
  { what: "a form", body: "organizationId=x&name=y" },
  {
    what: "XML",
    body: '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
  },
  { what: "a BOM before an object", body: bytes([0xef, 0xbb, 0xbf], "{}") },
  { what: "two BOMs", body: bytes([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], "{}") },
  { what: "UTF-16", body: Buffer.from("\ufeff{}", "utf16le") },
  { what: "invalid UTF-8", body: bytes('{"a":"', [0xff, 0xfe], '"}') },
  { what: "overlong UTF-8", body: bytes('{"a":"', [0xc0, 0xaf], '"}') },
  { what: "a surrogate in UTF-8", body: bytes('{"a":"', [0xed, 0xa0, 0x80], '"}') },
  { what: "UTF-8 that is cut", body: bytes('{"a":"', [0xf0, 0x9f, 0x98]) },
  { what: "2 MB", body: "x".repeat(2_097_152) },
  { what: "100,000 open brackets", body: "[".repeat(DEEP) },
  { what: "a gzip bomb", body: gzipSync(Buffer.alloc(50_000_000, " ")), headers: gzip },
  { what: "gzip twice", body: gzipSync(gzipSync("{}")), headers: gzip },
  {
    what: "gzip that is corrupt",
    body: Buffer.from(gzipSync("{}".padEnd(1_000))).fill(7, 12),
    headers: gzip,
  },
  { what: "gzip that is cut", body: gzipSync("{}").subarray(0, 12), headers: gzip },
  { what: "gzip and garbage behind it", body: bytes([...gzipSync("{}")], "garbage"), headers: gzip },
  { what: "gzip that is none", body: "{}", headers: gzip },
  { what: "gzip of invalid UTF-8", body: gzipSync(Buffer.from([0xff])), headers: gzip },
  { what: "an unknown encoding", body: "{}", headers: { "content-encoding": "rot13" } },
  { what: "several encodings", body: gzipSync("{}"), headers: { "content-encoding": "gzip, br" } },
  { what: "an empty encoding", body: "{}", headers: { "content-encoding": "" } },
  { what: "another charset", body: "{}", headers: { "content-type": "application/json; charset=utf-16" } },
  { what: "a content type of 10 KB", body: "{}", headers: { "content-type": `a/${"b".repeat(10_000)}` } },
  {
    what: "multipart",
    body: "--x\r\n\r\n--x--",
    headers: { "content-type": "multipart/form-data; boundary=x" },
  },
];

const HEADERS: Record<string, Record<string, string>> = {
  "a user agent of 12 KB": { "user-agent": "Mozilla/5.0 (".repeat(900) },
  "a user agent that is hard to match": {
    "user-agent": `${"(".repeat(200)}${"a ".repeat(200)}${";".repeat(100)}`,
  },
  "a request id of 4 KB": { "x-request-id": "x".repeat(4_000) },
  "a request id with quotes": { "x-request-id": '"><script>' },
  "X-Forwarded-For of anything": { "x-forwarded-for": "unknown, ::1%lo, 999.1.1.1, [::]:80, ,,,\u00e9" },
  "a thousand hops": { "x-forwarded-for": "10.0.0.1,".repeat(1_000) },
  "a Prefer that is hard to match": { prefer: `${", ".repeat(3_000)}handling` },
  "a Referer of 10 KB": { referer: `https://shop.example/${"a".repeat(10_000)}` },
  "latin-1": { "x-custom": "\u00e9\u00ff", "accept-language": "\u00e4" },
  "a cookie": { cookie: "session=1; ".repeat(500) },
};

export const ORIGINS = [
  "HTTPS://SHOP.EXAMPLE",
  "https://shop.example:443",
  "https://shop.example:8443",
  "http://shop.example",
  "https://shop.example.",
  "https://shop.example/",
  "https://shop.example.evil.io",
  "https://evilshop.example",
  "https://evil.io/shop.example",
  "https://evil.io#shop.example",
  "https://shop.example@evil.io",
  "https://evil.io\\@shop.example",
  "https://shop.example%00.evil.io",
  "https://shop.example:443:80",
  "https://shop.example, https://evil.io",
  "https://shop.example https://evil.io",
  "https://xn--shp-sna.example",
  "https://[::1]",
  "//shop.example",
  "shop.example",
  "https://",
  "*",
  "https://*",
  "null",
  "NULL",
  "undefined",
  "\u00e9",
  `https://${"a".repeat(5_000)}.example`,
  `https://${"a.".repeat(4_000)}example`,
];
/** Other spellings of an allowed origin. */
export const SAME_ORIGIN = new Set([
  "HTTPS://SHOP.EXAMPLE",
  "https://shop.example:443",
  "https://shop.example/",
]);

/** @param good a body that the route accepts. Each of its members is replaced in turn, and hostile members are added */
export function corpusFor(good: Record<string, unknown>): Poison[] {
  const whole = JSON.stringify(good);
  const members = [...Object.keys(good), "surplus"];
  const poisonedMembers = members.flatMap((member) =>
    Object.entries(VALUES).map(([what, json]): Poison => {
      const text = JSON.stringify({ ...good, [member]: "@@" });
      return { what: `${member}: ${what}`, body: text.replace('"@@"', () => json) };
    }),
  );
  const poisonedWholes = Object.entries(VALUES).map(
    ([what, json]): Poison => ({ what: `a body of ${what}`, body: json }),
  );
  const cuts = [0.1, 0.5, 0.9].map(
    (share): Poison => ({ what: `${share} of it`, body: whole.slice(0, whole.length * share) }),
  );
  const withHeaders = Object.entries(HEADERS).map(
    ([what, headers]): Poison => ({ what, body: whole, headers }),
  );
  const proto = { what: "__proto__ beside the members", body: `{"__proto__":${whole},${whole.slice(1)}` };
  return [...BODIES, ...poisonedWholes, ...poisonedMembers, ...cuts, ...withHeaders, proto];
}
