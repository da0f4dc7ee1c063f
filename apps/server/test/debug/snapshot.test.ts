import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import { SNAPSHOT_BYTES } from "../../src/debug/render.ts";
import {
  headOf,
  snapshotOf,
  snapshotOfList,
  snapshotOfText,
  snapshotOfUnknown,
} from "../../src/debug/snapshot.ts";
import { realEmail } from "../support/real-email.ts";

const LIMIT = SNAPSHOT_BYTES;
/** Ten times as many in the long tests. */
const RUNS = { numRuns: process.env.TEST_LONG ? 3_000 : 300 };
const kept = (value: unknown, limit: number = LIMIT) =>
  JSON.parse(snapshotOf(JSON.stringify(value), limit).json);
const bytes = (text: string) => Buffer.byteLength(text);

/** JSON values without anything to be masked. */
const harmlessText = fc
  .string({ unit: fc.constantFrom(..."abefghlmnoqrxyz ÄöЖ日😀\"\\\n\t/:.,;!?&#<>{}[]0123456789-_+'%") })
  .filter(
    (text) =>
      !/%[2-7]/.test(text) &&
      !/pass|pwd|token|secret|key|auth|cookie|card|cv|iban|ssn|sig|otp|[m2]f[aä]/i.test(text),
  );
const harmless = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    harmlessText,
    fc.integer(),
    // with fewer digits than the number of a card
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((number) => Number(number.toPrecision(12)))
      .filter((number) => !/\d{14}/.test(String(number))),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(harmlessText, tie("value"), { maxKeys: 5 }),
  ),
})).value;
/** A text that no generated text contains by chance. */
const secret = fc.stringMatching(/^[A-Z0-9]{6}Q7Z[a-z0-9]{4,20}$/);
const SECRET_NAMES = `
  password passwd pwd token access_token accessToken secret clientSecret api_key apikey apiKey
  X-API-Key authorization Authorization auth cookie Set-Cookie pass session_token sessionToken
  card cardNumber card_number cvv CVV iban IBAN ssn user[password] OAuth userToken_2 tokens_used
  jwt private_key creditCard authToken sig X-Amz-Signature signature otp`;
const secretName = fc.constantFrom(...SECRET_NAMES.trim().split(/\s+/));
/** The same JSON text with every second letter and at sign written as an escape. */
const escaped = (text: string, some: boolean) =>
  text.replace(/"(?:[^"\\]|\\.)*"/g, (literal) =>
    literal.replace(/\\u[0-9a-f]{4}|\\.|[\s\S]/g, (char, at: number) =>
      some && at % 2 === 0 && /^[a-zA-Z@_]$/.test(char) ? `\\u00${char.charCodeAt(0).toString(16)}` : char,
    ),
  );
const again = <T>(value: T): T => JSON.parse(JSON.stringify(value));
/** Puts a member somewhere into a value that is an object or holds one. */
const placed = (value: unknown, name: string, member: unknown) => ({
  page: { value },
  list: [1, { [name]: member }],
});
const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe("a snapshot", () => {
  it("leaves what is neither secret nor an address unchanged", () => {
    fc.assert(
      fc.property(harmless, (value) => {
        const text = JSON.stringify(value);
        fc.pre(bytes(text) <= LIMIT);
        deepEqual(snapshotOf(text, LIMIT), { json: text, truncated: false });
      }),
      RUNS,
    );
  });

  it("holds no value of a secret name, however deep and however it is written", () => {
    fc.assert(
      fc.property(harmless, secretName, secret, fc.boolean(), (value, name, hidden, escapes) => {
        const inside = { [name]: { inner: [hidden] } };
        for (const member of [
          { [name]: hidden },
          inside,
          { json: JSON.stringify({ a: [{ [name]: hidden }] }) },
        ]) {
          const text = escaped(JSON.stringify(placed(value, "x", member)), escapes);
          const { json } = snapshotOf(text, LIMIT);
          equal(json.includes(hidden), false, json);
          deepEqual(JSON.parse(json).page, JSON.parse(text).page);
        }
      }),
      RUNS,
    );
  });

  it("holds no e-mail address, plain, percent-encoded or escaped", () => {
    fc.assert(
      fc.property(
        harmless,
        realEmail,
        harmlessText,
        fc.constantFrom("@", "%40", "%2540", "\\u0040"),
        fc.boolean(),
        (value, address, text, at, escapes) => {
          const [local, domain] = address.split("@") as [string, string];
          const member = `${text} ${local}${at}${domain} ${text}`;
          const body = escaped(JSON.stringify(placed(value, "note", member)), escapes);
          const json = snapshotOf(body, LIMIT).json;
          const result = JSON.parse(json);
          equal(result.list[1].note.includes(`${at}${domain}`), false, json);
          equal(result.list[1].note.includes(`${local}${at}`), false, json);
          ok(result.list[1].note.endsWith(` ${text}`));
          deepEqual(result.page, { value: again(value) });
          equal(snapshotOf(JSON.stringify({ [member]: 1 }), LIMIT).json.includes(`${at}${domain}`), false);
        },
      ),
      RUNS,
    );
  });

  it("takes no domain for the name of a secret", () => {
    equal(kept({ note: "write to ann@pw.example: 9 to 5" }).note, "write to [email]: 9 to 5");
  });

  it("holds no query-string value of a secret name, plain or encoded", () => {
    const encodedName = (name: string, how: number) =>
      how === 0 ? name : [...name].map((char) => `%${char.charCodeAt(0).toString(16)}`).join("");
    fc.assert(
      fc.property(
        secretName,
        secret,
        fc.nat(1),
        fc.nat(2),
        fc.constantFrom("?", "#", "&"),
        (name, hidden, how, nested, sign) => {
          let url = `https://shop.example/a${sign}ref=mail&${encodedName(name, how)}=${hidden}%20x&last=1`;
          for (let level = 0; level < nested; level++)
            url = `https://login.example/?next=${encodeURIComponent(url)}&after=2`;
          const json = snapshotOf(JSON.stringify({ page: { url, title: "Hello" } }), LIMIT).json;
          equal(json.includes(hidden), false, json);
          ok(json.includes("ref") && json.includes("last") && json.includes('"title":"Hello"'), json);
        },
      ),
      RUNS,
    );
  });

  it("is valid JSON within the limit whatever text it is made of", () => {
    const pieces = fc.constantFrom(
      '"',
      "\\",
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      "a@b.c",
      "token",
      "=",
      "%40",
      "%",
      "\\u0040",
      "é",
      "1",
      " ",
    );
    const text = fc.array(pieces, { maxLength: 200 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.integer({ min: 64, max: 400 }), (body, limit) => {
        const unknown = snapshotOfUnknown(body, limit);
        equal(isJson(unknown.json), true);
        if (isJson(body)) equal(isJson(snapshotOf(body, limit).json), true);
        equal(isJson(snapshotOfText(body).json), true);
      }),
      RUNS,
    );
  });

  it("keeps names that only look secret", () => {
    const plain = {
      sessionId: "ses_1",
      anonymousId: "a",
      author: "Ann",
      cardinal: 1,
      passenger: 2,
      authority: "x",
      keyboard: 1,
    };
    deepEqual(kept(plain), plain);
  });

  it("shows that a secret was absent, empty or a flag", () => {
    const plain = { token: null, password: "", cookie: true };
    deepEqual(kept(plain), plain);
  });

  it("treats __proto__ and constructor as data", () => {
    const text =
      '{"__proto__":{"password":"x1"},"constructor":{"a":"b@c.de"},"list":[{"__proto__":"d@e.fg"}]}';
    const expected =
      '{"__proto__":{"password":"[masked]"},"constructor":{"a":"[email]"},"list":[{"__proto__":"[email]"}]}';
    equal(snapshotOf(text, LIMIT).json, expected);
  });
});

describe("a snapshot of a large body", () => {
  const event = (id: number) => ({
    id: `e${id}`,
    type: "track",
    name: "viewed",
    properties: { text: "ünïcode ✓".repeat(20) },
  });

  it("keeps the envelope before and behind the events, and the leading events that fit", () => {
    const body = {
      batchId: "b",
      events: Array.from({ length: 300 }, (_, id) => event(id)),
      context: { tags: ["x]"] },
      sessionId: "s",
    };
    const { json, truncated } = snapshotOf(JSON.stringify(body), LIMIT);
    const { events, ...envelope } = JSON.parse(json);
    equal(truncated, true);
    ok(bytes(json) <= LIMIT && bytes(json) > LIMIT - 600, String(bytes(json)));
    deepEqual(envelope, { batchId: "b", context: { tags: ["x]"] }, sessionId: "s" });
    deepEqual(events, body.events.slice(0, events.length));
  });

  it("keeps all members of a short envelope that has other lists", () => {
    const before = { lists: [["l"], ["m"]] };
    const after = { page: { path: "/" }, tags: ["a"] };
    const events = Array.from({ length: 200 }, (_, id) => ({ id, items: [1, [2]] }));
    const body = { ...before, events, ...after };
    for (const list of [events.slice(0, 10), events]) {
      const { events: cut, ...envelope } = kept({ ...body, events: list }, 160);
      deepEqual(envelope, { ...before, ...after });
      deepEqual(cut, list.slice(0, cut.length));
    }
  });

  it("is cut alike for any events and any envelope", () => {
    const events = fc.array(fc.dictionary(harmlessText, harmless, { maxKeys: 4 }), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(
        events,
        fc.dictionary(harmlessText, harmlessText, { maxKeys: 3 }),
        fc.nat(2),
        (list, more, indent) => {
          const body = { a: 1, events: list, ...more };
          const text = JSON.stringify(body, null, indent);
          const { json, truncated } = snapshotOf(text, 400);
          const result = JSON.parse(json);
          if (typeof result === "string") return;
          equal(truncated, bytes(text) > 400);
          ok(bytes(json) <= 400);
          deepEqual(result.a, body.a);
          if (typeof result.events[0] !== "string")
            deepEqual(result.events, again(list).slice(0, result.events.length));
        },
      ),
      RUNS,
    );
  });

  it("keeps the head of a first event that does not fit, masked", () => {
    const body = {
      batchId: "b",
      events: [{ id: "e", token: "hidden", properties: { text: "x".repeat(20_000) } }],
    };
    const { events, batchId } = kept(body);
    equal(batchId, "b");
    equal(events.length, 1);
    ok(events[0].startsWith('{"id":"e","token":[masked],"properties":{"text":"xxx'), events[0].slice(0, 80));
  });

  it("is the head of a text when there are no events to leave out", () => {
    const { json, truncated } = snapshotOf(JSON.stringify({ page: { title: "é".repeat(20_000) } }), LIMIT);
    const head = JSON.parse(json);
    equal(truncated, true);
    ok(head.startsWith('{"page":{"title":"éé'));
    ok(bytes(head) <= SERVER_LIMITS.rawTextBytes && bytes(head) > SERVER_LIMITS.rawTextBytes - 4);
  });

  it("is the head of a text when the body nests too deeply to be walked", () => {
    for (const depth of [2_000, 100_000]) {
      for (const secret of ["1", '{"password":"x1"}']) {
        const text = `{"events":[{"a":${"[".repeat(depth)}${secret}${"]".repeat(depth)}}]}`;
        const { json, truncated } = snapshotOf(text, LIMIT);
        const snapshot = JSON.parse(json);
        JSON.stringify(snapshot);
        equal(truncated, text.length > SERVER_LIMITS.rawTextBytes);
        ok((typeof snapshot === "string" ? snapshot : snapshot.events[0]).includes('"a":[[['));
      }
    }
    const nested = JSON.stringify({ text: `{"token":${"[".repeat(7_000)}` });
    deepEqual(JSON.parse(snapshotOf(nested, LIMIT).json), { text: '{"token":[masked]' });
  });
});

describe("a snapshot of a text that is not JSON", () => {
  it("masks pairs, query strings and addresses", () => {
    const masked = (text: string) => JSON.parse(snapshotOfText(text).json);
    equal(masked('{"password": "x1", "a": 2'), '{"password": [masked], "a": 2');
    equal(masked("{password: 'it\\'s', a: 2"), "{password: [masked], a: 2");
    equal(masked('{"token":"cut of'), '{"token":[masked]');
    equal(masked('{"token":{"a":"x1"}, "b":1'), '{"token":[masked]');
    equal(masked('{\\"token\\":\\"x1\\",\\"a\\":1'), '{\\"token\\":[masked],\\"a\\":1');
    equal(masked("a=1&api_key=x1&b=2"), "a=1&api_key=[masked]&b=2");
    equal(masked("Authorization: Bearer x1\nHost: a"), "Authorization: [masked]\nHost: a");
    equal(masked('password = "x 1" user=2'), "password = [masked] user=2");
    equal(masked("p\\u0061ssword=x1 \\u0040 joe\\u0040example.com"), "password=[masked] @ [email]");
    equal(masked("write to joe@example.com."), "write to [email].");
  });

  it("cuts whole characters, and no address in two", () => {
    equal(headOf("aéé", 4), "aé");
    equal(headOf("a😀", 4), "a");
    const text = `${"x".repeat(SERVER_LIMITS.rawTextBytes - 10)} joe.miller@example.com`;
    const { json, truncated } = snapshotOfText(text);
    equal(truncated, true);
    equal(json.includes("joe"), false);
  });

  it("replaces lone surrogates", () => {
    equal(snapshotOfText("a\ud800b").json, '"a\ufffdb"');
  });
});

describe("a snapshot of a list", () => {
  it("keeps the places of what has no normal form, and as many items as fit", () => {
    deepEqual(snapshotOfList(['{"a":1}', null], 100), { json: '[{"a":1},null]', truncated: false });
    deepEqual(snapshotOfList(['{"a":1}', '{"b":2}'], 16), { json: '[{"a":1}]', truncated: true });
    deepEqual(snapshotOfList(['{"token":"x1"}'], 100).json, '[{"token":"[masked]"}]');
    deepEqual(snapshotOfList([], 100), { json: "[]", truncated: false });
  });
});
