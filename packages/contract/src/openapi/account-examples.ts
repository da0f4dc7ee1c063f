/** The example request and response of each operation on profiles, invitations and sign-in. */
import { AT, CREATED_TOKEN, IDS } from "./example-values.ts";
import type { Examples } from "./examples.ts";

const inWorkspace = { organizationId: IDS.organizationId };
const INVITATION = {
  invitationId: IDS.invitationId,
  ...inWorkspace,
  role: "developer" as const,
  email: null,
  invitedBy: IDS.userId,
  createdAt: AT,
  expiresAt: "2026-11-28T12:00:00.000Z",
};
/** The offer that the invited person sees. */
const OFFER = { organizationName: "Shop", role: "developer" as const, invitedBy: "Ada" };
const PROFILE = {
  userId: IDS.userId,
  name: "Ada",
  email: null,
  theme: "auto" as const,
  locale: "auto" as const,
  numberFormat: "auto" as const,
  clock: "auto" as const,
  weekStart: "auto" as const,
};
/** The code of a mailed link. */
const CODE = "q3vX8nB5Rt0LwZ7cJ2mKd9sF";
const REMEMBERED = { rememberedId: "rem_01a2049c39e7cb3c13c9dd5f96e3990e" };

const PASSKEY_ID = { passkeyId: "pky_01a2049c39e7cb3c13c9dd5f96e3990e" };
const PASSKEY = {
  ...PASSKEY_ID,
  name: "MacBook",
  host: "stats.example.com",
  createdAt: AT,
  lastUsedAt: null,
};
/** What a browser sends, as far as it has members that are read. */
const SIGNED = { id: "mZ0fYc3p", clientDataJSON: "eyJ0eXBlIjoi" };

export const ACCOUNT_EXAMPLES: Examples = {
  getProfile: { answer: { ...PROFILE, clientAddress: "203.0.113.7" } },
  updateProfile: { body: { name: "Ada" }, answer: PROFILE },
  listSessions: {
    answer: {
      sessions: [
        {
          tokenId: IDS.tokenId,
          label: "Chrome on macOS",
          isCurrent: true,
          createdAt: AT,
          lastUsedAt: AT,
          expiresAt: AT,
        },
      ],
    },
  },
  endSession: { params: { tokenId: IDS.tokenId }, answer: { tokenId: IDS.tokenId, endedAt: AT } },
  requestEmail: { body: { email: "ada@shop.example" }, answer: { requested: true } },
  confirmEmail: { body: { code: CODE }, answer: { ...PROFILE, email: "ada@shop.example" } },
  restoreEmail: { body: { code: CODE }, answer: { email: "ada@shop.example" } },
  listInvitations: { query: inWorkspace, answer: { invitations: [INVITATION] } },
  createInvitation: {
    body: { ...inWorkspace, role: "developer" },
    answer: { ...INVITATION, url: `https://stats.example.com/invitation#code=${CODE}` },
  },
  revokeInvitation: {
    params: { invitationId: IDS.invitationId },
    query: inWorkspace,
    answer: { invitationId: IDS.invitationId, revokedAt: AT },
  },
  readInvitation: {
    body: { code: CODE },
    answer: { ...OFFER, email: null, account: null, expiresAt: INVITATION.expiresAt },
  },
  acceptInvitation: { body: { code: CODE, name: "Grace" }, answer: { ...inWorkspace, signInCode: CODE } },
  joinWorkspace: { body: { code: CODE }, answer: inWorkspace },
  rememberSignIn: { answer: { ...REMEMBERED, expiresAt: "2026-12-21T12:00:00.000Z" } },
  refreshToken: {
    body: REMEMBERED,
    answer: { token: "hwt_5cN8wR2tYq7LmK4vXz1BsJ6hDf3PgA0eTuWi", expiresInSeconds: 900 },
  },
  forgetSignIn: { body: REMEMBERED, answer: REMEMBERED },
  listPasskeys: { answer: { passkeys: [PASSKEY], unavailable: null } },
  startPasskey: { answer: { publicKey: { challenge: "8f2Kd0sQv7Lw" } } },
  addPasskey: {
    body: {
      name: "MacBook",
      credential: {
        id: SIGNED.id,
        response: { clientDataJSON: SIGNED.clientDataJSON, attestationObject: "o2NmbXRk" },
      },
    },
    answer: PASSKEY,
  },
  removePasskey: { params: PASSKEY_ID, answer: PASSKEY_ID },
  startPasskeySignIn: { answer: { publicKey: { challenge: "8f2Kd0sQv7Lw" } } },
  signInWithPasskey: {
    body: {
      credential: {
        id: SIGNED.id,
        response: {
          clientDataJSON: SIGNED.clientDataJSON,
          authenticatorData: "SZYN5YgO",
          signature: "MEUCIQDb",
          userHandle: "dXNyXzAx",
        },
      },
    },
    answer: CREATED_TOKEN,
  },
  getSignInMethods: { answer: { oidc: null, mail: false, passkey: false, token: true, sendsMail: false } },
  requestSignInLink: { body: { email: "ada@shop.example" }, answer: { requested: true } },
};
