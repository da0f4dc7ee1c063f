/** An authenticator with one passkey, in software. It signs whatever a test wants. */
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { APP_URL, type World } from "./world.ts";

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** What the browser takes from a page of the console of a clocked world. */
export const CONSOLE_PAGE = { origin: APP_URL, rpId: new URL(APP_URL).hostname };

/** What a browser would take from the options and the page. */
interface Ceremony {
  challenge: string;
  origin: string;
  rpId: string;
  /** Whether the authenticator has verified the user. */
  isVerified?: boolean;
  counter?: number;
}

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();
/** CBOR of a short text. */
const cborText = (text: string) => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
/** CBOR of up to 255 bytes. */
const cborBytes = (bytes: Buffer) => Buffer.concat([Buffer.from([0x58, bytes.length]), bytes]);

const clientDataOf = (type: string, { challenge, origin }: Ceremony) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

function authenticatorDataOf(
  { rpId, counter = 0, isVerified = true }: Ceremony,
  credential: Buffer | null,
): Buffer {
  const flags = PRESENT | (isVerified ? VERIFIED : 0) | (credential ? HAS_CREDENTIAL : 0);
  const counted = Buffer.alloc(4);
  counted.writeUInt32BE(counter);
  return Buffer.concat([sha256(rpId), Buffer.from([flags]), counted, credential ?? Buffer.alloc(0)]);
}

/** What it says about its make: nothing, or a certificate that nobody asked for. */
const STATEMENTS = {
  none: [cborText("none"), Buffer.from([0xa0])],
  certified: [
    cborText("packed"),
    Buffer.from([0xa3]),
    ...[cborText("alg"), Buffer.from([0x26]), cborText("sig"), Buffer.from([0x41, 0])],
    ...[cborText("x5c"), Buffer.from([0x81, 0x41, 0])],
  ],
};

export function createSoftwareAuthenticator() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(16);
  // COSE: an EC2 key of ES256 on P-256
  const key = Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    cborBytes(Buffer.from(x, "base64url")),
    Buffer.from([0x22]),
    cborBytes(Buffer.from(y, "base64url")),
  ]);
  const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
  const toText = (bytes: Buffer) => bytes.toString("base64url");
  return {
    id: toText(id),
    create(ceremony: Ceremony, statement: keyof typeof STATEMENTS = "none") {
      const [format = Buffer.alloc(0), ...statements] = STATEMENTS[statement];
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        ...[cborText("fmt"), format],
        ...[cborText("attStmt"), ...statements],
        ...[cborText("authData"), cborBytes(authenticatorDataOf(ceremony, credential))],
      ]);
      const clientDataJSON = toText(clientDataOf("webauthn.create", ceremony));
      return { id: toText(id), response: { clientDataJSON, attestationObject: toText(attestationObject) } };
    },
    get(ceremony: Ceremony, userHandle: string) {
      const clientData = clientDataOf("webauthn.get", ceremony);
      const authenticatorData = authenticatorDataOf(ceremony, null);
      const signature = sign("sha256", Buffer.concat([authenticatorData, sha256(clientData)]), privateKey);
      return {
        id: toText(id),
        response: {
          clientDataJSON: toText(clientData),
          authenticatorData: toText(authenticatorData),
          signature: toText(signature),
          userHandle,
        },
      };
    },
  };
}

/** @returns the options for the browser */
export async function startCeremony(world: World, path: string, token: string | null = null) {
  const reply = await world.ask(path, { method: "POST", token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.publicKey;
}

/** Adds a passkey, as the profile page does. */
export async function addPasskey(world: World, token: string, page = CONSOLE_PAGE) {
  const authenticator = createSoftwareAuthenticator();
  const { challenge, user } = await startCeremony(world, "/api/passkeys/options", token);
  const body = { name: "Laptop", credential: authenticator.create({ ...page, challenge }) };
  const reply = await world.ask("/api/passkeys", { method: "POST", token, body });
  assert.equal(reply.status, 201, reply.text);
  return { authenticator, userHandle: user.id as string };
}
