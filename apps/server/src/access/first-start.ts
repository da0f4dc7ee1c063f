/** The first start with an empty ledger creates a workspace, its owner, and what the owner can sign in with. */
import { hashToken, hintOf, makeCode, makeToken } from "../core/token.ts";
import type { Ledger } from "../ledger/ledger.ts";

const SIGN_IN_CODE_MS = 10 * 60_000;

interface FirstStart {
  /** The new token. null if OWNER_TOKEN is set, or none was wanted. */
  token: string | null;
  /** Can be exchanged for a token once, within ten minutes. null if none was wanted. */
  signInCode: string | null;
}

/** The code of a sign-in link. */
export const makeSignInCode = (now: number) => ({
  ...makeCode(),
  expiresAt: now + SIGN_IN_CODE_MS,
});

const toNewToken = (tokenId: string, token: string) => ({
  tokenId,
  hash: hashToken(token),
  hint: hintOf(token),
  label: "Owner",
});

/** @returns null if the ledger is already set up */
export async function setUpOnFirstStart(
  ledger: Pick<Ledger, "isSetUp" | "setUp">,
  options: {
    organizationId: string;
    ownerToken: string | null;
    /** Whether to make a token when there is no OWNER_TOKEN. */
    wantsToken: boolean;
    wantsSignInCode: boolean;
    now: number;
    newId(prefix: string): string;
  },
): Promise<FirstStart | null> {
  if (await ledger.isSetUp()) return null;
  const { organizationId, ownerToken, wantsToken, wantsSignInCode, now, newId } = options;
  const token = ownerToken ?? (wantsToken ? makeToken().token : null);
  const signIn = wantsSignInCode ? makeSignInCode(now) : null;
  const first = await ledger.setUp({
    organizationId,
    organizationName: "My workspace",
    userId: newId("usr"),
    token: token === null ? null : toNewToken(newId("tok"), token),
    signIn,
    now,
  });
  return first ? { token: ownerToken === null ? token : null, signInCode: signIn?.code ?? null } : null;
}
