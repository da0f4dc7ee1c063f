/**
 * The table of operations: every route with its access, its schemas and every error code that it can return. The server
 * registers its routes from this table, the OpenAPI document is built from it, and the black-box tests iterate over it.
 */
import type { Operation } from "./operation.ts";
import { ACCESS_OPERATIONS } from "./operations/access.ts";
import { ACCOUNT_OPERATIONS } from "./operations/account.ts";
import { COMPAT_OPERATIONS } from "./operations/compat.ts";
import { EXPORT_OPERATIONS } from "./operations/export.ts";
import { INGEST_OPERATIONS } from "./operations/ingest.ts";
import { MCP_OPERATIONS } from "./operations/mcp.ts";
import { PASSKEY_OPERATIONS } from "./operations/passkeys.ts";
import { PLAN_OPERATIONS } from "./operations/plan.ts";
import { PUBLIC_OPERATIONS } from "./operations/public.ts";
import { QUARANTINE_OPERATIONS } from "./operations/quarantine.ts";
import { REPORT_OPERATIONS } from "./operations/reports.ts";
import { SAVED_ITEM_OPERATIONS } from "./operations/saved-items.ts";
import { SOURCE_OPERATIONS } from "./operations/sources.ts";
import { STATS_OPERATIONS } from "./operations/stats.ts";
import { WORKSPACE_OPERATIONS } from "./operations/workspace.ts";

export const OPERATIONS = [
  ...SOURCE_OPERATIONS,
  ...QUARANTINE_OPERATIONS,
  ...PLAN_OPERATIONS,
  ...STATS_OPERATIONS,
  ...SAVED_ITEM_OPERATIONS,
  ...REPORT_OPERATIONS,
  ...EXPORT_OPERATIONS,
  ...ACCESS_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...PASSKEY_OPERATIONS,
  ...WORKSPACE_OPERATIONS,
  ...MCP_OPERATIONS,
  ...INGEST_OPERATIONS,
  ...COMPAT_OPERATIONS,
  ...PUBLIC_OPERATIONS,
] as const;

export type OperationId = (typeof OPERATIONS)[number]["id"];

export function operation(id: OperationId): Operation {
  const found = OPERATIONS.find((one) => one.id === id);
  if (!found) throw new Error(`unknown operation ${id}`);
  return found;
}
