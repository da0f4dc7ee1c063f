/** The operations of passkeys. */
import { BODY_CODES, COMMON_CODES, type Operation, TOKEN_CODES } from "../operation.ts";
import { CreatedToken } from "../workspace.ts";
import {
  AddPasskeyBody,
  Passkey,
  PasskeyList,
  PasskeyOptions,
  PasskeySignInBody,
  RemovedPasskey,
} from "./passkey-schemas.ts";

const SIGNED_IN_CODES = [...TOKEN_CODES, "permission_denied", ...COMMON_CODES] as const;

export const PASSKEY_OPERATIONS = [
  {
    id: "listPasskeys",
    tag: "Accounts",
    method: "GET",
    path: "/api/passkeys",
    summary: "List your passkeys",
    description: "Each signs you in without a user name or a link.",
    access: "person",
    status: 200,
    answer: PasskeyList,
    codes: SIGNED_IN_CODES,
  },
  {
    id: "startPasskey",
    tag: "Accounts",
    method: "POST",
    path: "/api/passkeys/options",
    summary: "Start adding a passkey",
    description:
      "Returns what the browser needs to create it. A JWT cannot add one, because the passkey would outlive it.",
    access: "person",
    status: 200,
    answer: PasskeyOptions,
    codes: [...SIGNED_IN_CODES, "passkey_refused", "limit_reached"],
  },
  {
    id: "addPasskey",
    tag: "Accounts",
    method: "POST",
    path: "/api/passkeys",
    summary: "Add a passkey",
    description: "Send the browser's response to the options. A person has at most 10 passkeys.",
    access: "person",
    body: AddPasskeyBody,
    status: 201,
    answer: Passkey,
    codes: [...SIGNED_IN_CODES, ...BODY_CODES, "passkey_refused", "limit_reached"],
  },
  {
    id: "removePasskey",
    tag: "Accounts",
    method: "DELETE",
    path: "/api/passkeys/:passkeyId",
    summary: "Remove one of your passkeys",
    description:
      "It no longer signs anyone in. Sessions that it began continue. The response is the same if you have none.",
    access: "person",
    status: 200,
    answer: RemovedPasskey,
    codes: SIGNED_IN_CODES,
  },
  {
    id: "startPasskeySignIn",
    tag: "Accounts",
    method: "POST",
    path: "/api/sign-in/passkey/options",
    summary: "Start a sign-in with a passkey",
    description: "Returns what the browser needs. One client address can start 60 a minute.",
    access: "public",
    hasClientRate: true,
    status: 200,
    answer: PasskeyOptions,
    codes: ["permission_denied", "passkey_refused", ...COMMON_CODES],
  },
  {
    id: "signInWithPasskey",
    tag: "Accounts",
    method: "POST",
    path: "/api/sign-in/passkey",
    summary: "Sign in with a passkey",
    description: "Send the browser's response to the options. The authenticator must have verified the user.",
    access: "public",
    hasClientRate: true,
    body: PasskeySignInBody,
    status: 200,
    answer: CreatedToken,
    codes: ["permission_denied", "passkey_refused", ...COMMON_CODES, ...BODY_CODES],
  },
] as const satisfies readonly Operation[];
