import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";
import {
  type ClockedWorld,
  DAY,
  openClockedWorld,
  openClockedWorldFor,
  openWorld as openServer,
  refused,
} from "../support/world.ts";

const ISSUER = "https://idp.example.com/";
const AUDIENCE = "headwater";

describe("a JWT of the identity provider", () => {
  let provider: Server;
  let jwt: Record<string, string>;
  let world: ClockedWorld;
  const keys = new Map<string, CryptoKey>();

  before(async () => {
    const published: JWK[] = [];
    for (const alg of ["RS256", "ES256", "EdDSA", "PS256"]) {
      const { publicKey, privateKey } = await generateKeyPair(alg);
      keys.set(alg, privateKey);
      published.push({ ...(await exportJWK(publicKey)), kid: alg, alg });
    }
    provider = createServer((_request, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ keys: published }));
    }).listen(0, "127.0.0.1");
    await once(provider, "listening");
    const jwksUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/keys`;
    jwt = { AUTH_JWKS_URL: jwksUrl, AUTH_ISSUER: ISSUER, AUTH_AUDIENCE: AUDIENCE };
    world = await openClockedWorld(jwt);
    await join(world, "idp|ada", "developer");
  });
  after(async () => {
    await world.close();
    provider.close();
  });

  const seconds = () => Math.floor(world.now() / 1_000);
  const claims = (): JWTPayload => ({ sub: "idp|ada", iss: ISSUER, aud: AUDIENCE, exp: seconds() + 60 });
  const sign = (payload: JWTPayload, alg = "ES256", kid = alg) =>
    new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(keys.get(alg)!);
  /** The person of that `sub` accepts an invitation. */
  async function join(to: ClockedWorld, sub: string, role: string): Promise<void> {
    const body = { organizationId: to.organizationId, role };
    const { url } = (
      await to.ask("/api/invitations", { method: "POST", token: await to.ownerSession(), body })
    ).body;
    const code = url.split("#code=")[1];
    const token = await sign({ ...claims(), sub });
    const joined = await to.ask("/api/invitations/join", { method: "POST", token, body: { code } });
    assert.equal(joined.status, 200, joined.text);
  }
  const ask = (token: string) =>
    world.ask(`/api/permissions?organizationId=${world.organizationId}`, { token });

  it("200: a JWT signed with RS256, ES256 or EdDSA is accepted, and its `sub` is the user", async () => {
    for (const alg of ["RS256", "ES256", "EdDSA"]) {
      const { status, body } = await ask(await sign(claims(), alg));
      assert.deepEqual([status, body.userId, body.role], [200, "idp|ada", "developer"]);
    }
  });

  it("200: the service's own tokens still work", async () => {
    assert.equal((await ask(world.ownerToken)).body.role, "owner");
  });

  it("200: an OWNER_TOKEN with two dots is not taken for a JWT", async () => {
    const token = "correct-horse.battery-staple.of-the-owner";
    const jwt = { AUTH_JWKS_URL: "http://127.0.0.1:9/keys", AUTH_ISSUER: ISSUER, AUTH_AUDIENCE: AUDIENCE };
    await using server = await openServer({ OWNER_TOKEN: token, ...jwt });
    assert.equal((await server.ask("/api/organizations", { token })).status, 200);
  });

  it("401 invalid_token: exp, iss, aud and sub are required and must be valid", async () => {
    for (const name of ["exp", "iss", "aud", "sub"]) {
      const { [name]: _left, ...rest } = claims();
      refused(await ask(await sign(rest)), 401, "invalid_token");
    }
    for (const wrong of [
      { iss: "https://evil.io/" },
      { aud: "other" },
      { nbf: seconds() + 60 },
      { sub: "" },
      { sub: "a\0" },
      { sub: "a\ud800" },
    ]) {
      refused(await ask(await sign({ ...claims(), ...wrong })), 401, "invalid_token");
    }
  });

  it("401 invalid_token: another algorithm, another key or a changed claim", async () => {
    refused(await ask(await sign(claims(), "PS256")), 401, "invalid_token");
    refused(await ask(await sign(claims(), "ES256", "RS256")), 401, "invalid_token");
    refused(await ask(await sign(claims(), "ES256", "unknown")), 401, "invalid_token");
    const text = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    refused(await ask(`${text({ alg: "none" })}.${text(claims())}.x`), 401, "invalid_token");
    const secret = new TextEncoder().encode("x".repeat(32));
    const symmetric = await new SignJWT(claims())
      .setProtectedHeader({ alg: "HS256", kid: "RS256" })
      .sign(secret);
    refused(await ask(symmetric), 401, "invalid_token");
    const [head, , signature] = (await sign(claims())).split(".");
    refused(
      await ask(`${head}.${text({ ...claims(), sub: "usr_owner" })}.${signature}`),
      401,
      "invalid_token",
    );
  });

  it("401 expired_token: after its exp", async () => {
    refused(await ask(await sign({ ...claims(), exp: seconds() })), 401, "expired_token");
  });

  it("401 invalid_token: a `sub` makes nobody a service account or the command line", async () => {
    const account = await world.serviceAccount("owner");
    for (const sub of [account.userId, "svc_1", "command-line"])
      refused(await ask(await sign({ ...claims(), sub })), 401, "invalid_token");
  });

  it("403: the user is not a member yet", async () => {
    refused(await ask(await sign({ ...claims(), sub: "idp|eve" })), 403, "not_a_member");
  });

  it("creates workspaces only as WORKSPACE_CREATION says", async (t) => {
    const statuses = async (creation: string | null) => {
      const settings = creation === null ? jwt : { ...jwt, WORKSPACE_CREATION: creation };
      const own = await openClockedWorldFor(t, settings);
      const create = async (token: string) => {
        const reply = await own.ask("/api/organizations", { method: "POST", token, body: { name: "New" } });
        if (reply.status !== 201) refused(reply, 403, "permission_denied");
        return reply.status;
      };
      await join(own, "idp|bob", "viewer");
      const nobody = await sign({ ...claims(), sub: "idp|eve" });
      return [
        await create(nobody),
        await create(await sign({ ...claims(), sub: "idp|bob" })),
        await create(await own.ownerSession()),
      ];
    };
    assert.deepEqual(await statuses("anyone"), [201, 201, 201]);
    assert.deepEqual(await statuses(null), [403, 201, 201]);
    assert.deepEqual(await statuses("operators"), [403, 403, 201]);
  });

  it("creates tokens that live JWT_TOKEN_MAX_DAYS at most, and no token outlives the one that created it", async (t) => {
    const own = await openClockedWorldFor(t, { ...jwt, JWT_TOKEN_MAX_DAYS: "10" });
    const { organizationId } = own;
    await join(own, "idp|ada", "owner");
    const create = async (token: string, over: object = {}) => {
      const body = { organizationId, label: "t", ...over };
      const reply = await own.ask("/api/tokens", { method: "POST", token, body });
      assert.equal(reply.status, 201, reply.text);
      return reply.body;
    };
    const inDays = (days: number) => new Date(own.now() + days * DAY).toISOString();
    const signedIn = await sign(claims());
    const end = inDays(10);
    assert.equal((await create(signedIn, { expiresAt: inDays(11) })).expiresAt, end);
    assert.equal((await create(signedIn, { expiresAt: inDays(9) })).expiresAt, inDays(9));
    const wide = await create(signedIn, { allWorkspaces: true });
    assert.equal(wide.expiresAt, end);

    own.advance(9 * DAY);
    const heir = await create(wide.token);
    assert.equal(heir.expiresAt, end, "the user has not signed in since");
    own.advance(DAY);
    for (const { token } of [wide, heir])
      refused(await own.ask("/api/organizations", { token }), 401, "expired_token");
    assert.equal((await create(own.ownerToken)).expiresAt, null);
  });

  it("the log has the reason for which a JWT is refused, and nothing of its content", async () => {
    const lines: { msg: string; reason?: string }[] = [];
    const logStream = { write: (line: string) => void lines.push(JSON.parse(line)) };
    await using server = await openServer({ ...jwt, LOG_LEVEL: "info" }, { logStream });
    const exp = Math.floor(Date.now() / 1_000);
    const current = { ...claims(), exp: exp + 60 };
    const tokens = [
      await sign(current, "ES256", "unknown"),
      await sign({ ...current, iss: "https://evil.io/" }),
      await sign({ ...current, exp: exp - 60 }),
    ];
    for (const token of tokens) assert.equal((await server.ask("/api/permissions", { token })).status, 401);
    const failed = lines.filter(({ msg }) => msg === "authentication failed");
    assert.deepEqual(
      failed.map(({ reason }) => reason),
      [
        "no applicable key found in the JSON Web Key Set",
        'unexpected "iss" claim value',
        '"exp" claim timestamp check failed',
      ],
    );
    assert.deepEqual(
      lines.filter((line) => line.msg === "a request failed" || JSON.stringify(line).includes("idp|ada")),
      [],
    );
  });

  it("503: the identity provider's keys cannot be fetched", async (t) => {
    const lonely = await openClockedWorldFor(t, {
      AUTH_JWKS_URL: "http://127.0.0.1:9/keys",
      AUTH_ISSUER: ISSUER,
      AUTH_AUDIENCE: AUDIENCE,
    });
    const reply = await lonely.ask("/api/organizations", { token: await sign(claims()) });
    refused(reply, 503, "storage_unavailable");
  });

  it("503: an identity provider that answers without end is cut off", async (t) => {
    let sentBytes = 0;
    const endless = createServer(async (_request, response) => {
      const chunk = Buffer.alloc(64 * 1024, " ");
      while (!response.destroyed) {
        sentBytes += chunk.byteLength;
        if (!response.write(chunk)) await Promise.race([once(response, "drain"), once(response, "close")]);
      }
    }).listen(0, "127.0.0.1");
    t.after(() => endless.close());
    await once(endless, "listening");
    const url = `http://127.0.0.1:${(endless.address() as AddressInfo).port}/keys`;
    const own = await openClockedWorldFor(t, { ...jwt, AUTH_JWKS_URL: url });
    const reply = await own.ask("/api/organizations", { token: await sign(claims()) });
    refused(reply, 503, "storage_unavailable");
    assert.ok(sentBytes < 64 * 1024 * 1024, `${sentBytes} bytes were read or on their way`);
  });
});
