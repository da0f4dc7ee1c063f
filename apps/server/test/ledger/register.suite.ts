/** What every register must do, whichever engine keeps it: run by each adapter's own test. */
import { after, before } from "node:test";
import type { Register } from "../../src/ledger/ledger.ts";
import { registerBoundsSuite } from "./register-bounds.suite.ts";
import { registerSourcesSuite } from "./register-sources.suite.ts";
import { registerTokensSuite } from "./register-tokens.suite.ts";
import { registerWorkspacesSuite } from "./register-workspaces.suite.ts";

/** @param open an empty register of its own */
export function registerSuite(open: () => Promise<{ ledger: Register; close(): Promise<void> }>): void {
  let ledger: Register;
  let close: () => Promise<void>;
  before(async () => {
    ({ ledger, close } = await open());
  });
  after(() => close());

  const register = () => ledger;
  registerWorkspacesSuite(register);
  registerTokensSuite(register);
  registerSourcesSuite(register);
  registerBoundsSuite(register);
}
