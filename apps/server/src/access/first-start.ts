/** The first start with an empty ledger creates a workspace, its owner, and what the owner can sign in with. */
import type { Config } from "../config/settings.ts";
import { hashToken, hintOf, makeCode, makeToken } from "../core/token.ts";
import type { Ledger } from "../ledger/ledger.ts";

const SIGN_IN_CODE_MS = 10 * 60_000;

/** The code of a sign-in link. */
export const makeSignInCode = (now: number) => ({
  ...makeCode(),
  expiresAt: now + SIGN_IN_CODE_MS,
});

interface FirstStartDeps {
  readonly ledger: Pick<Ledger, "isSetUp" | "setUp">;
  readonly config: Pick<Config, "ORGANIZATION_ID" | "OWNER_TOKEN">;
  readonly clock: () => number;
  readonly newId: (prefix: string) => string;
}

/**
 * @param wanted whether to make a token when there is no OWNER_TOKEN, and the code of a sign-in link
 * @returns the new token and the code, each null if none was created; null if the ledger is already set up
 */
export async function setUpOnFirstStart(
  { ledger, config, clock, newId }: FirstStartDeps,
  wanted: { token: boolean; signInCode: boolean },
) {
  if (await ledger.isSetUp()) return null;
  const now = clock();
  const newToken = config.OWNER_TOKEN === null && wanted.token ? makeToken().token : null;
  const token = config.OWNER_TOKEN ?? newToken;
  const signIn = wanted.signInCode ? makeSignInCode(now) : null;
  const first = await ledger.setUp({
    organizationId: config.ORGANIZATION_ID,
    organizationName: "My workspace",
    userId: newId("usr"),
    token:
      token === null
        ? null
        : { tokenId: newId("tok"), hash: hashToken(token), hint: hintOf(token), label: "Owner" },
    signIn,
    now,
  });
  return first ? { token: newToken, signInCode: signIn?.code ?? null } : null;
}
