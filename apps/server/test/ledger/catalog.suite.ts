/** What every catalog must do, whichever engine keeps it: run by each adapter's own test. */
import { after, before } from "node:test";
import type { Catalog } from "../../src/ledger/ledger.ts";
import { catalogBoundsSuite } from "./catalog-bounds.suite.ts";
import { catalogPasskeysSuite } from "./catalog-passkeys.suite.ts";
import { catalogSourcesSuite } from "./catalog-sources.suite.ts";
import { catalogTokensSuite } from "./catalog-tokens.suite.ts";
import { catalogWorkspacesSuite } from "./catalog-workspaces.suite.ts";

/** @param open an empty catalog of its own */
export function catalogSuite(open: () => Promise<{ ledger: Catalog; close(): Promise<void> }>): void {
  let ledger: Catalog;
  let close: () => Promise<void>;
  before(async () => {
    ({ ledger, close } = await open());
  });
  after(() => close());

  const catalog = () => ledger;
  catalogWorkspacesSuite(catalog);
  catalogTokensSuite(catalog);
  catalogPasskeysSuite(catalog);
  catalogSourcesSuite(catalog);
  catalogBoundsSuite(catalog);
}
