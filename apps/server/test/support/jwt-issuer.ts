/** An identity provider whose JWTs are bearer tokens. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

const ISSUER = "https://idp.example.com/";
const AUDIENCE = "headwater";

export interface JwtIssuer extends AsyncDisposable {
  /** The settings of a service that accepts its JWTs. */
  readonly settings: Record<string, string>;
  /** @param now the service's time */
  sign(sub: string, now: number): Promise<string>;
}

export async function startJwtIssuer(): Promise<JwtIssuer> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "1", alg: "ES256" }] });
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(keys);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    settings: {
      AUTH_JWKS_URL: `http://127.0.0.1:${port}/keys`,
      AUTH_ISSUER: ISSUER,
      AUTH_AUDIENCE: AUDIENCE,
    },
    sign: (sub, now) =>
      new SignJWT({ sub, iss: ISSUER, aud: AUDIENCE, exp: Math.floor(now / 1_000) + 3_600 })
        .setProtectedHeader({ alg: "ES256", kid: "1" })
        .sign(privateKey),
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}
