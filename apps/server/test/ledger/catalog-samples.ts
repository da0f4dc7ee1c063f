/** Records as tests make them, with what a test does not care about filled in. */
import assert from "node:assert/strict";
import { SOURCE_DEFAULTS } from "@headwater/contract";
import type { Catalog } from "../../src/ledger/ledger.ts";
import type { Actor, MemberRecord, SourceRecord, TokenRecord } from "../../src/ledger/records.ts";

export const NOW = Date.UTC(2026, 10, 21, 12);
export const OWNER: Actor = { userId: "usr_owner", tokenId: "tok_owner" };

let numbered = 0;
export const fresh = (prefix: string) => `${prefix}_${++numbered}`;

export const aToken = (over: Partial<TokenRecord> = {}): TokenRecord => ({
  tokenId: fresh("tok"),
  organizationId: null,
  userId: OWNER.userId,
  ceiling: null,
  sourceId: null,
  scope: null,
  passwordHash: null,
  label: "a token",
  hint: "abcd",
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  createdAt: NOW,
  ...over,
});
export const aMember = (over: Partial<Omit<MemberRecord, "email">> = {}): Omit<MemberRecord, "email"> => ({
  userId: fresh("usr"),
  name: null,
  role: "viewer",
  createdAt: NOW,
  ...over,
});
export const aSource = (organizationId: string, over: Partial<SourceRecord> = {}): SourceRecord => ({
  ...SOURCE_DEFAULTS,
  sourceId: fresh("src"),
  organizationId,
  name: "Shop",
  slug: "",
  publicKey: fresh("pk"),
  previousKeyExpiresAt: null,
  publicKeyRotatedAt: null,
  allowedOrigins: ["https://example.com"],
  lastBootstrapAt: null,
  lastEventAt: null,
  createdAt: NOW,
  updatedAt: NOW,
  ...over,
});

/** Steps that tests of a catalog repeat. @param catalog called for each step, since it can be reopened */
export function catalogSamples(catalog: () => Catalog) {
  const by = { actor: OWNER, now: NOW };
  const page = (organizationId: string, cursor: string | null = null, limit = 100) => ({
    organizationId,
    cursor,
    limit,
  });
  return {
    by,
    page,
    async workspace(): Promise<string> {
      const organizationId = fresh("org");
      await catalog().createOrganization({ ...by, organizationId, name: "Workspace" });
      return organizationId;
    },
    async stored(source: SourceRecord, slugGiven = false): Promise<SourceRecord> {
      const made = await catalog().createSource({ ...by, source, slugGiven });
      assert.ok(typeof made === "object", `createSource answered ${String(made)}`);
      return made;
    },
    async actions(organizationId: string): Promise<string[]> {
      return (await catalog().audit(page(organizationId))).rows.map((entry) => entry.action);
    },
  };
}
