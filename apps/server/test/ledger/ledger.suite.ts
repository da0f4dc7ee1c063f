/** What the hot methods of every ledger must do, whichever engine keeps it: run by each adapter's own test. */
import { alertSuite } from "./ledger-alert.suite.ts";
import { commitSuite } from "./ledger-commit.suite.ts";
import { erasureSuite } from "./ledger-erasure.suite.ts";
import type { NewHome } from "./ledger-home.suite.ts";
import { modelSuite } from "./ledger-model.suite.ts";
import { outboxSuite } from "./ledger-outbox.suite.ts";
import { sessionSuite } from "./ledger-session.suite.ts";
import { shippedSuite } from "./ledger-shipped.suite.ts";
import { upkeepSuite } from "./ledger-upkeep.suite.ts";
import { visitorAttemptsSuite } from "./visitor-attempts.suite.ts";

/** @param newHome an empty store of its own for each test */
export function ledgerSuite(name: string, newHome: NewHome): void {
  commitSuite(name, newHome);
  sessionSuite(name, newHome);
  upkeepSuite(name, newHome);
  outboxSuite(name, newHome);
  erasureSuite(name, newHome);
  visitorAttemptsSuite(name, newHome);
  alertSuite(name, newHome);
  shippedSuite(name, newHome);
  modelSuite(name, newHome);
}
