/** Passwords of shared stats links (docs/api/access.md). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  type ClockedWorld,
  issuesOf,
  openClockedWorld,
  openClockedWorldFor,
  refused,
} from "../support/world.ts";

const HOUR = 3_600_000;
const PASSWORD = "correct horse";

const linkIn = async (world: ClockedWorld, over: Record<string, unknown> = {}) => {
  const { organizationId } = world;
  const sourceId = (await world.source()).sourceId!;
  const body = { organizationId, label: "Board", sourceId, password: PASSWORD, ...over };
  return { sourceId, reply: await world.ask("/api/tokens", { method: "POST", body }) };
};
const read = (world: ClockedWorld, sourceId: string, token: string) =>
  world.ask(`/api/stats/source?sourceId=${sourceId}`, { token });
const unlock = (world: ClockedWorld, token: string, password: string) =>
  world.ask("/api/stats/unlock", { method: "POST", token: null, body: { token, password } });

describe("A shared link with a password", () => {
  let world: ClockedWorld;
  before(async () => {
    world = await openClockedWorld();
  });
  after(() => world.close());

  it("reads the stats of its source only after the right password, for 12 hours", async () => {
    const { sourceId, reply } = await linkIn(world);
    const { token } = reply.body;
    refused(await read(world, sourceId, token), 401, "password_required");
    refused(await unlock(world, token, "wrong horse"), 401, "password_required");
    const unlocked = await unlock(world, token, PASSWORD);
    assert.equal(unlocked.status, 200, unlocked.text);
    assert.equal(Date.parse(unlocked.body.expiresAt), world.now() + 12 * HOUR);
    assert.equal((await read(world, sourceId, unlocked.body.token)).status, 200);
    const list = `/api/tracking-sources?organizationId=${world.organizationId}`;
    refused(await world.ask(list, { token: unlocked.body.token }), 403, "permission_denied");
    world.advance(12 * HOUR);
    refused(await read(world, sourceId, unlocked.body.token), 401, "password_required");
    assert.equal((await unlock(world, token, PASSWORD)).status, 200);
  });

  it("is not unlocked by a changed time, or by the unlocked token of another link", async () => {
    const [one, other] = [await linkIn(world), await linkIn(world)];
    const { token } = (await unlock(world, one.reply.body.token, PASSWORD)).body;
    const [bare, until, signature] = token.split(".");
    const later = (Number.parseInt(until, 36) + HOUR).toString(36);
    refused(await read(world, one.sourceId, `${bare}.${later}.${signature}`), 401, "password_required");
    const foreign = `${other.reply.body.token}.${until}.${signature}`;
    refused(await read(world, other.sourceId, foreign), 401, "password_required");
    assert.equal((await read(world, one.sourceId, token)).status, 200);
  });

  it("is revoked together with what its password has unlocked", async () => {
    const { sourceId, reply } = await linkIn(world);
    const { token } = (await unlock(world, reply.body.token, PASSWORD)).body;
    const path = `/api/tokens/${reply.body.tokenId}?organizationId=${world.organizationId}`;
    assert.equal((await world.ask(path, { method: "DELETE" })).status, 200);
    refused(await read(world, sourceId, token), 401, "revoked_token");
    refused(await unlock(world, reply.body.token, PASSWORD), 401, "invalid_token");
  });

  it("is listed as one, and its password and hash are in no answer and no audit entry", async () => {
    const { sourceId, reply } = await linkIn(world, { password: "plainly visible" });
    const { organizationId } = world;
    const listed = await world.ask(`/api/tokens?organizationId=${organizationId}&sourceId=${sourceId}`);
    assert.deepEqual(
      listed.body.tokens.map(({ hasPassword }: { hasPassword: boolean }) => hasPassword),
      [true],
    );
    const audit = await world.ask(`/api/audit?organizationId=${organizationId}`);
    assert.equal(audit.body.entries[0].after.hasPassword, true);
    for (const { text } of [reply, listed, audit]) assert.doesNotMatch(text, /plainly visible|scrypt/);
  });

  it("a link without a password stays open, and has nothing to unlock", async () => {
    const { sourceId, reply } = await linkIn(world, { password: null });
    assert.equal((await read(world, sourceId, reply.body.token)).status, 200);
    refused(await unlock(world, reply.body.token, PASSWORD), 401, "invalid_token");
    refused(await unlock(world, "hwt_guessed", PASSWORD), 401, "invalid_token");
  });

  it("422: a password is only for stats of one source, and has at least 8 characters", async () => {
    const without = (await linkIn(world, { sourceId: undefined })).reply;
    assert.deepEqual(issuesOf(without), ["password: invalid_value"]);
    assert.deepEqual(issuesOf((await linkIn(world, { scope: "ingest" })).reply), ["password: invalid_value"]);
    assert.deepEqual(issuesOf((await linkIn(world, { password: "short" })).reply), ["password: too_short"]);
  });
});

it("Passwords that one address tries are limited, and then the right one is refused too.", async (t) => {
  const world = await openClockedWorldFor(t, { FAILED_AUTH_PER_MINUTE: "3" });
  const { reply } = await linkIn(world);
  for (let tries = 0; tries < 3; tries += 1)
    refused(await unlock(world, reply.body.token, `guess ${tries}`), 401, "password_required");
  refused(await unlock(world, reply.body.token, PASSWORD), 429, "rate_limited");
  world.advance(60_000);
  assert.equal((await unlock(world, reply.body.token, PASSWORD)).status, 200);
});

it("An address can try ten passwords a minute on one link; other links are not affected.", async (t) => {
  const world = await openClockedWorldFor(t);
  const [first, second] = [(await linkIn(world)).reply.body.token, (await linkIn(world)).reply.body.token];
  for (let tries = 0; tries < 10; tries += 1)
    refused(await unlock(world, first, `guess ${tries}`), 401, "password_required");
  refused(await unlock(world, first, PASSWORD), 429, "rate_limited");
  assert.equal((await unlock(world, second, PASSWORD)).status, 200);
  world.advance(60_000);
  assert.equal((await unlock(world, first, PASSWORD)).status, 200);
});
