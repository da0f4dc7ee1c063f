/** Sign-in of the console without typing a token (CONTRACT section 6): the first start's code buys one, once. */
import type { Handler } from "../core/handler.ts";
import { Refusal } from "../core/refusal.ts";
import { hashToken, makeToken } from "../core/token.ts";
import type { Catalog } from "../ledger/ledger.ts";
import { renderCreated } from "./token-operations.ts";

export const signIn =
  (ledger: Catalog, newId: (prefix: string) => string): Handler<"signIn"> =>
  async ({ body, now }) => {
    const { token, hash, hint } = makeToken();
    const bought = { tokenId: newId("tok"), hash, hint, label: "Console" };
    const outcome = await ledger.signIn({ codeHash: hashToken(body.code), token: bought, now });
    if (outcome === "unknown") {
      throw new Refusal("invalid_token", {
        message: "This sign-in code is not known; a code is good for one sign-in.",
        hint: "Sign in with an access token, or make one with `headwater token create`.",
      });
    }
    if (outcome === "expired") {
      throw new Refusal("expired_token", {
        message: "This sign-in code has expired.",
        hint: "Sign in with an access token, or make one with `headwater token create`.",
      });
    }
    return { body: renderCreated(outcome, token) };
  };
