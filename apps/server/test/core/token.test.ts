import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createAuthenticator } from "../../src/access/authenticate.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { hashToken, isPlausibleToken, makeToken } from "../../src/core/token.ts";
import type { TokenRecord } from "../../src/ledger/records.ts";

describe("an access token", () => {
  it("consists of hwt_, 30 random characters and a checksum, and is unique", () => {
    const made = Array.from({ length: 200 }, makeToken);
    assert.equal(new Set(made.map((one) => one.token)).size, 200);
    for (const { token, hash, hint } of made) {
      assert.match(token, /^hwt_[0-9A-Za-z]{36}$/);
      assert.deepEqual([hash, hint], [hashToken(token), token.slice(-4)]);
      assert.ok(isPlausibleToken(token));
    }
  });

  it("with one wrong character is not plausible, so it needs no look-up", () => {
    const { token } = makeToken();
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: token.length - 1 }),
        fc.stringMatching(/^[0-9A-Za-z]$/),
        (at, other) => {
          const changed = token.slice(0, at) + other + token.slice(at + 1);
          assert.equal(isPlausibleToken(changed), changed === token);
        },
      ),
    );
  });

  it("that the operator chose has 32 to 256 visible ASCII characters", () => {
    for (const text of ["x".repeat(32), "~".repeat(256)]) assert.ok(isPlausibleToken(text));
    for (const text of ["x".repeat(31), "x".repeat(257), `${"x".repeat(40)} `, `é${"x".repeat(40)}`]) {
      assert.ok(!isPlausibleToken(text));
    }
  });
});

describe("authentication", () => {
  const { token, hash } = makeToken();
  const record: TokenRecord = {
    tokenId: "tok_1",
    organizationId: null,
    userId: "usr_1",
    ceiling: null,
    sourceId: null,
    scope: null,
    passwordHash: null,
    label: "",
    hint: "",
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    createdAt: 0,
  };
  function counting() {
    const seen = { lookUps: 0, touched: [] as { tokenId: string; lastUsedAt: number }[][], stored: record };
    const authenticator = createAuthenticator(
      {
        tokenByHash: async (asked) => {
          seen.lookUps += 1;
          return asked.hash === hash ? seen.stored : null;
        },
        refreshedToken: async () => null,
        recordTokenUse: async (used) => void seen.touched.push(used),
      },
      null,
      Number.POSITIVE_INFINITY,
    );
    return {
      seen,
      authenticator,
      ask: (text: string, now = 0) => authenticator.authenticate(`Bearer ${text}`, now),
    };
  }
  const code = (expected: string) => (error: unknown) => error instanceof Refusal && error.code === expected;

  it("looks up a token once, until something changes", async () => {
    const { seen, authenticator, ask } = counting();
    await ask(token);
    assert.deepEqual(await ask(token), {
      actor: { userId: "usr_1", tokenId: "tok_1" },
      limitedTo: null,
      ceiling: null,
      sourceId: null,
      scope: null,
      isLocked: false,
      rememberedId: null,
      isPerson: false,
      grantsUntil: null,
    });
    assert.equal(seen.lookUps, 1);
    seen.stored = { ...record, revokedAt: 1 };
    authenticator.forget();
    await assert.rejects(ask(token), code("revoked_token"));
    assert.equal(seen.lookUps, 2);
  });

  it("does not cache the result of a look-up that began before a change", async () => {
    const { seen, authenticator, ask } = counting();
    const early = ask(token);
    authenticator.forget();
    await early;
    await ask(token);
    assert.equal(seen.lookUps, 2);
  });

  it("does not look up text that cannot be a token", async () => {
    const { seen, ask } = counting();
    for (const text of ["hwt_short", `${token}x`, "x".repeat(31)])
      await assert.rejects(ask(text), code("invalid_token"));
    assert.equal(seen.lookUps, 0);
  });

  it("writes last-used times at most once a minute, and the rest on flush", async () => {
    const { seen, authenticator, ask } = counting();
    for (let now = 0; now <= 59_000; now += 1_000) await ask(token, now);
    assert.deepEqual(seen.touched, [[{ tokenId: "tok_1", lastUsedAt: 0 }]]);
    await ask(token, 60_000);
    assert.deepEqual(seen.touched[1], [{ tokenId: "tok_1", lastUsedAt: 60_000 }]);
    await ask(token, 61_000);
    await authenticator.flush();
    await authenticator.flush();
    assert.deepEqual(seen.touched[2], [{ tokenId: "tok_1", lastUsedAt: 61_000 }]);
    assert.equal(seen.touched.length, 3);
  });
});
