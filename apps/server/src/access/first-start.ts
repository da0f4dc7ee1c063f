/** The first start on an empty ledger: one workspace, its owner, one token, and a link to sign in with once. */

import { randomBytes } from "node:crypto";
import { SERVER_LIMITS } from "../core/limits.ts";
import { hashToken, hintOf, makeToken } from "../core/token.ts";
import type { Ledger } from "../ledger/ledger.ts";

export interface FirstStart {
  /** null when it came from OWNER_TOKEN: whoever set it knows it. */
  token: string | null;
  /** Buys a token within ten minutes, once. */
  signInCode: string;
}

/** @returns null when the ledger was set up before */
export async function setUpOnFirstStart(
  ledger: Pick<Ledger, "isSetUp" | "setUp">,
  given: { organizationId: string; ownerToken: string | null; now: number; newId(prefix: string): string },
): Promise<FirstStart | null> {
  if (await ledger.isSetUp()) return null;
  const { organizationId, ownerToken, now, newId } = given;
  const token = ownerToken ?? makeToken().token;
  const signInCode = randomBytes(24).toString("base64url");
  const first = await ledger.setUp({
    organizationId,
    organizationName: "My workspace",
    userId: newId("usr"),
    token: { tokenId: newId("tok"), hash: hashToken(token), hint: hintOf(token), label: "Owner" },
    signIn: { codeHash: hashToken(signInCode), expiresAt: now + SERVER_LIMITS.signInCodeMs },
    now,
  });
  return first ? { token: ownerToken === null ? token : null, signInCode } : null;
}
