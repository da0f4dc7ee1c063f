/**
 * The table of operations: what a caller may ask, who may ask it, and every answer it can get.
 * Routes register from it, the OpenAPI document renders it, the black-box tests walk it.
 */
import type { Operation } from "./operation.ts";
import { ACCESS_OPERATIONS } from "./operations/access.ts";
import { EXPORT_OPERATIONS } from "./operations/export.ts";
import { INGEST_OPERATIONS } from "./operations/ingest.ts";
import { PUBLIC_OPERATIONS } from "./operations/public.ts";
import { SOURCE_OPERATIONS } from "./operations/sources.ts";
import { STATS_OPERATIONS } from "./operations/stats.ts";
import { WORKSPACE_OPERATIONS } from "./operations/workspace.ts";

export const OPERATIONS = [
  ...SOURCE_OPERATIONS,
  ...STATS_OPERATIONS,
  ...EXPORT_OPERATIONS,
  ...ACCESS_OPERATIONS,
  ...WORKSPACE_OPERATIONS,
  ...INGEST_OPERATIONS,
  ...PUBLIC_OPERATIONS,
] as const;

export type OperationId = (typeof OPERATIONS)[number]["id"];

export const operation = (id: OperationId): Operation => OPERATIONS.find((one) => one.id === id)!;
