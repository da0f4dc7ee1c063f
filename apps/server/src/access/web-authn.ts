/**
 * WebAuthn by its library. It takes 25 MB of memory and 230 ms of CPU time, so a service without passkeys does not load it. What
 * throws here is about what the browser sent.
 */
import type { AddPasskeyBody, PasskeySignInBody } from "@headwater/contract";
import type { Static } from "typebox";
import type { PasskeyRecord } from "../ledger/records.ts";

const library = () => import("@simplewebauthn/server");
const helpers = () => import("@simplewebauthn/server/helpers");

/** How long a person can take. */
export const CHALLENGE_MS = 5 * 60_000;
/** Ed25519, ES256 and RS256, as COSE numbers them. */
const ALGORITHMS = [-8, -7, -257];

interface NewPasskey {
  readonly host: string;
  readonly userHandle: Uint8Array<ArrayBuffer>;
  readonly userName: string;
  readonly displayName: string;
  /** The credentials that the person has. */
  readonly known: readonly string[];
}

/** Options with which the browser makes a passkey, with a new challenge. */
export async function makeCreationOptions({ host, userHandle, userName, displayName, known }: NewPasskey) {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: "Headwater",
    rpID: host,
    userID: userHandle,
    userName,
    userDisplayName: displayName,
    timeout: CHALLENGE_MS,
    attestationType: "none",
    excludeCredentials: known.map((id) => ({ id })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** Options with which the browser uses a passkey, with a new challenge. */
export async function makeRequestOptions(host: string) {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({ rpID: host, userVerification: "required", timeout: CHALLENGE_MS });
}

/** The page and the challenge that the browser names. */
export async function readClientData(clientDataJSON: string): Promise<{ origin: string; challenge: string }> {
  const { decodeClientDataJSON } = await helpers();
  const { origin, challenge } = decodeClientDataJSON(clientDataJSON);
  return { origin: String(origin), challenge: String(challenge) };
}

/** What the browser must have signed. */
export interface Expected {
  readonly challenge: string;
  readonly origin: string;
  readonly host: string;
}
const toOptions = ({ challenge, origin, host }: Expected) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: host,
  requireUserVerification: true,
});

const toResponse = <Response extends object>({ id, response }: { id: string; response: Response }) => ({
  id,
  rawId: id,
  type: "public-key" as const,
  response,
  clientExtensionResults: {},
});

/** No statement about the authenticator was asked for. To verify its certificate, the library would fetch addresses in it. */
async function requireNoCertificate(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await helpers();
  const attestation = decodeAttestationObject(Buffer.from(attestationObject, "base64url"));
  const format = attestation.get("fmt");
  const isPlain =
    format === "none" || (format === "packed" && attestation.get("attStmt").get("x5c") === undefined);
  if (!isPlain) throw new Error(`an attestation of the format ${format} was not asked for`);
}

/** @returns the new credential */
export async function verifyNew(
  { credential }: Static<typeof AddPasskeyBody>,
  expected: Expected,
): Promise<Pick<PasskeyRecord, "credentialId" | "publicKey" | "counter">> {
  await requireNoCertificate(credential.response.attestationObject);
  const { verifyRegistrationResponse } = await library();
  const { registrationInfo } = await verifyRegistrationResponse({
    ...toOptions(expected),
    response: toResponse(credential),
    supportedAlgorithmIDs: ALGORITHMS,
  });
  if (!registrationInfo) throw new Error("the signature is wrong");
  const { id, publicKey, counter } = registrationInfo.credential;
  return { credentialId: id, publicKey: Buffer.from(publicKey).toString("base64url"), counter };
}

/** @returns the counter that the authenticator has signed, which is above that of the passkey unless both are 0 */
export async function verifyUse(
  { credential }: Static<typeof PasskeySignInBody>,
  passkey: PasskeyRecord,
  expected: Expected,
): Promise<number> {
  const { verifyAuthenticationResponse } = await library();
  const publicKey = Buffer.from(passkey.publicKey, "base64url");
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    ...toOptions(expected),
    response: toResponse(credential),
    credential: { id: passkey.credentialId, publicKey, counter: passkey.counter },
  });
  if (!verified) throw new Error("the signature is wrong");
  return authenticationInfo.newCounter;
}
