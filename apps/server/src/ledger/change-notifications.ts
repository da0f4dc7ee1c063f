/** Reports every change made through a ledger, so that caches can drop answers that the change made stale. */
import { override } from "../core/members.ts";
import type { Ledger, LedgerChange } from "./ledger.ts";

const tokensChanged = (): LedgerChange => ({ kind: "tokens" });
const sourceChanged = ({ sourceId }: { sourceId: string }): LedgerChange => ({ kind: "source", sourceId });

/**
 * Returns the same ledger with one addition: methods that change sources or tokens call `notify` before they resolve,
 * and also when they fail, because the change may have been stored all the same. Members are not cached.
 */
export function withChangeNotifications(ledger: Ledger, notify: (change: LedgerChange) => void): Ledger {
  const notifying =
    <Argument, Result>(
      method: (argument: Argument) => Promise<Result>,
      changeBy: (argument: Argument) => LedgerChange,
    ) =>
    async (argument: Argument): Promise<Result> => {
      try {
        return await method(argument);
      } finally {
        notify(changeBy(argument));
      }
    };
  const methods = {
    setUp: notifying(ledger.setUp, tokensChanged),
    signIn: notifying(ledger.signIn, tokensChanged),
    signInWithPasskey: notifying(ledger.signInWithPasskey, tokensChanged),
    restoreEmail: notifying(ledger.restoreEmail, tokensChanged),
    removeMember: notifying(ledger.removeMember, tokensChanged),
    createToken: notifying(ledger.createToken, tokensChanged),
    forgetSignIn: notifying(ledger.forgetSignIn, tokensChanged),
    revokeToken: notifying(ledger.revokeToken, tokensChanged),
    createSource: notifying(ledger.createSource, ({ source }) => sourceChanged(source)),
    updateSource: notifying(ledger.updateSource, sourceChanged),
    deleteSource: notifying(ledger.deleteSource, sourceChanged),
    rotateKey: notifying(ledger.rotateKey, sourceChanged),
    saveTrackingPlan: notifying(ledger.saveTrackingPlan, sourceChanged),
    restoreKey: notifying(ledger.restoreKey, sourceChanged),
  };
  return override(ledger, methods);
}
