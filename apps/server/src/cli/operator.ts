/**
 * The command line as a caller of the API's operations: the same handlers and the same checks, for somebody who
 * may do everything because they may read the ledger itself. It works beside a serving process.
 */
import { existsSync } from "node:fs";
import { LIMITS, operation } from "@headwater/contract";
import type { TSchema } from "typebox";
import { permissionsOf } from "../access/permissions.ts";
import { type Config, processEnvironment, readConfig } from "../config/config.ts";
import type { Answer, Call, Handler, WorkspaceOperationId } from "../core/handler.ts";
import { createIds } from "../core/ids.ts";
import type { Actor } from "../core/records.ts";
import { Refusal } from "../core/refusal.ts";
import { compile } from "../core/validate.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { ledgerPath } from "../ledger/sqlite/database.ts";
import { openLedger, openLedgerBeside } from "../open-ledger.ts";
import { aboutLedger, CommandFailed } from "./failure.ts";

export const COMMAND_LINE: Actor = { userId: "command-line", tokenId: null };

export interface Operator {
  readonly config: Config;
  readonly ledger: Ledger;
  readonly now: number;
  readonly newId: (prefix: string) => string;
}
export interface WorkspaceOperator extends Operator {
  readonly organizationId: string;
}

async function withOpened<T>(
  open: (config: Config, now: number) => Promise<Ledger>,
  work: (operator: Operator) => Promise<T>,
): Promise<T> {
  const config = readConfig(processEnvironment());
  const { DATA_DIR: dataDir } = config;
  if (config.DATABASE_URL === null && !existsSync(ledgerPath(dataDir))) {
    throw new CommandFailed(
      `There is no ledger in DATA_DIR ${dataDir}. Set DATA_DIR to the folder of the service, or start the service once with \`headwater serve\`.`,
    );
  }
  const now = Date.now();
  const ledger = await open(config, now).catch((error: unknown) => {
    throw aboutLedger(error, config);
  });
  try {
    return await work({ config, ledger, now, newId: createIds(() => now) });
  } finally {
    await ledger.close();
  }
}

/** Opens the ledger for one command, beside whatever serves. */
export const withLedger = <T>(work: (operator: Operator) => Promise<T>): Promise<T> =>
  withOpened(openLedgerBeside, work);

/** As a node of its own: one that keeps keys of events in memory suffers no other at the same folder. @throws DataDirInUse */
export const withLedgerAlone = <T>(work: (operator: Operator) => Promise<T>): Promise<T> =>
  withOpened(async (config, now) => (await openLedger(config, { now })).ledger, work);

async function requireWorkspace({ ledger, config }: Operator, given: string | undefined): Promise<string> {
  const organizationId = given ?? config.ORGANIZATION_ID;
  const known = await everyRow((cursor) => ledger.organizations({ limit: LIMITS.maxPageSize, cursor }));
  if (known.some((one) => one.organizationId === organizationId)) return organizationId;
  if (known.length === 0) {
    throw new CommandFailed(
      "The ledger has no workspace yet. Start the service once with `headwater serve`: it makes the first one and its owner.",
    );
  }
  const setting = given === undefined ? "ORGANIZATION_ID" : "--organization";
  throw new CommandFailed(
    `There is no workspace ${organizationId} (${setting}). \`headwater workspace list\` shows those there are.`,
  );
}

/** @param organization the flag's; without it ORGANIZATION_ID */
export const withWorkspace = <T>(
  organization: string | undefined,
  work: (operator: WorkspaceOperator) => Promise<T>,
): Promise<T> =>
  withLedger(async (operator) =>
    work({ ...operator, organizationId: await requireWorkspace(operator, organization) }),
  );

type Given<Id extends WorkspaceOperationId> = Partial<
  Pick<Call<Id>, "body" | "query" | "params" | "source" | "actor">
>;
type Body<Id extends WorkspaceOperationId> = Extract<Answer<Id>, { readonly body: unknown }>["body"];

function checkShape(schema: TSchema | undefined, body: unknown): void {
  if (!schema || body === undefined) return;
  const check = compile(schema);
  if (!check(body)) throw new Refusal("invalid_payload", { issues: check.issues(body) });
}

/** Does what a request of an owner would do, and answers with its body. */
export async function perform<Id extends WorkspaceOperationId>(
  { organizationId, now }: WorkspaceOperator,
  id: Id,
  handler: Handler<Id>,
  given: Given<Id> = {},
): Promise<Body<Id>> {
  const entry = operation(id);
  checkShape(entry.body, given.body);
  const call = {
    operation: entry,
    params: {},
    query: {},
    body: undefined,
    actor: COMMAND_LINE,
    limitedTo: null,
    ceiling: null,
    sourceId: null,
    organizationId,
    role: "owner",
    permissions: permissionsOf("owner"),
    source: null,
    now,
    requestId: "command-line",
    clientAddress: "",
    lastEventId: null,
    signal: new AbortController().signal,
    ...given,
  };
  const answer = await handler(call as unknown as Call<Id>);
  return (answer as { body: Body<Id> }).body;
}

/** Every page of a list, one after the other. */
export async function everyRow<T>(
  page: (cursor: string | null) => Promise<{ rows: readonly T[]; nextCursor: string | null }>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | null = null;
  do {
    const { rows, nextCursor } = await page(cursor);
    all.push(...rows);
    cursor = nextCursor;
  } while (cursor !== null);
  return all;
}
