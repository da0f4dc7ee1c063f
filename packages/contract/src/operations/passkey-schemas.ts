/** Passkeys of people (docs/api/accounts.md). Requests and options are the JSON of WebAuthn, as browsers read and write it. */
import Type, { type Static } from "typebox";
import { LIMITS } from "../limits.ts";
import { Closed, Nullable, text, time, timeOrNull } from "../shapes.ts";

/** Binary members of WebAuthn's JSON. */
const bytes = (description: string) =>
  Type.String({ minLength: 1, maxLength: 16_384, pattern: "^[A-Za-z0-9_-]+$", description });
const credentialId = bytes("the id of the credential, in base64url");
const clientDataJSON = bytes("the data that the browser signed, in base64url");

export const Passkey = Closed({
  passkeyId: text("The id of the passkey."),
  name: text("The name that you gave it."),
  host: text("The host of the console that it was made for. It works there only."),
  createdAt: time("When you added it."),
  lastUsedAt: timeOrNull("When you last signed in with it; null: not yet."),
});
export type Passkey = Static<typeof Passkey>;
export const PasskeyList = Closed({
  passkeys: Type.Array(Passkey, { description: "Your passkeys, newest first." }),
  unavailable: Nullable(
    Closed({ message: text("Why you cannot add one here."), hint: text("What to do.") }),
    { description: "Why no passkey can be added; null: one can." },
  ),
});
export const PasskeyOptions = Closed({
  publicKey: Type.Record(Type.String(), Type.Unknown(), {
    description:
      "For `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`. The challenge works once, within 5 minutes.",
  }),
});
export const AddPasskeyBody = Closed({
  name: Type.String({ minLength: 1, maxLength: LIMITS.maxNameLength, description: "A name for it." }),
  credential: Type.Object(
    {
      id: credentialId,
      response: Type.Object(
        { clientDataJSON, attestationObject: bytes("the new public key, in base64url") },
        { description: "The authenticator's response." },
      ),
    },
    { description: "The `toJSON()` of what `navigator.credentials.create` returned." },
  ),
});
export const RemovedPasskey = Closed({ passkeyId: text("The id of the passkey.") });
export const PasskeySignInBody = Closed({
  credential: Type.Object(
    {
      id: credentialId,
      response: Type.Object(
        {
          clientDataJSON,
          authenticatorData: bytes("the data that the authenticator signed, in base64url"),
          signature: bytes("the signature, in base64url"),
          userHandle: bytes("the user of the passkey, in base64url"),
        },
        { description: "The authenticator's response." },
      ),
    },
    { description: "The `toJSON()` of what `navigator.credentials.get` returned." },
  ),
});
