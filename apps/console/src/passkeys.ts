/** Passkeys in the browser: adding one, and signing in with one. */
import { api, apiWith } from "./api.ts";
import { signInWith } from "./sign-in.ts";

/** Whether this browser has passkeys. Those that do not read WebAuthn's JSON are from before 2025. */
export const takesPasskeys = (): boolean =>
  typeof window.PublicKeyCredential?.parseRequestOptionsFromJSON === "function";

/** The browser made no passkey, or used none. */
class PasskeyFailure extends Error {
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

const notUsed = () => new PasskeyFailure("The browser did not provide a passkey.", "Try again.");

/** @param host the only one at which browsers use the passkeys of the service */
function explain(error: unknown, host: string): PasskeyFailure {
  const name = error instanceof Error ? error.name : "";
  if (name === "InvalidStateError")
    return new PasskeyFailure("This device already has your passkey.", "Use it to sign in.");
  if (name === "SecurityError")
    return new PasskeyFailure(
      `This service’s passkeys work only at ${host}.`,
      "Open the console there. If the host is wrong, the operator must change `BASE_URL` or `APP_URL`.",
    );
  return notUsed();
}

/** Asks the browser, which asks the person. @returns what it answers, as WebAuthn's JSON */
async function ask(host: unknown, request: () => Promise<Credential | null>) {
  const credential = await request().catch((error: unknown) => {
    throw explain(error, String(host));
  });
  if (!(credential instanceof PublicKeyCredential)) throw notUsed();
  return credential.toJSON();
}

/** Adds a passkey to the account of the person who is signed in. */
export async function addPasskey(name: string): Promise<void> {
  const { publicKey } = await api.startPasskey();
  // the API describes them as any object
  const options = publicKey as unknown as PublicKeyCredentialCreationOptionsJSON;
  const { id, response } = await ask(options.rp.id, async () =>
    navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
  );
  if (!("attestationObject" in response)) throw notUsed();
  const { clientDataJSON, attestationObject } = response;
  await api.addPasskey({
    body: { name, credential: { id, response: { clientDataJSON, attestationObject } } },
  });
}

export async function signInByPasskey(): Promise<void> {
  const { publicKey } = await apiWith(null).startPasskeySignIn();
  const options = publicKey as unknown as PublicKeyCredentialRequestOptionsJSON;
  const { id, response } = await ask(options.rpId, async () =>
    navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
  );
  if (!("signature" in response)) throw notUsed();
  const { clientDataJSON, authenticatorData, signature, userHandle = "" } = response;
  const signed = { clientDataJSON, authenticatorData, signature, userHandle };
  const { token } = await apiWith(null).signInWithPasskey({ body: { credential: { id, response: signed } } });
  await signInWith(token);
}
