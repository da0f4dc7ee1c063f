/** Finds what a command's argument names: a source, a member or a token, by its id or by its name. */
import { LIMITS, type Token } from "@headwater/contract";
import { renderToken } from "../access/tokens.ts";
import type { MemberRecord, SourceRecord } from "../core/records.ts";
import { CommandFailed } from "./errors.ts";
import { readAllPages, type WorkspaceAccess } from "./ledger-access.ts";

interface NamedKind<Row> {
  /** In a message, such as "source". */
  readonly what: string;
  /** The command that lists the rows. */
  readonly list: string;
  idOf(row: Row): string;
  namesOf(row: Row): readonly (string | null)[];
}

/** An id wins over a name; names are compared without case. @throws CommandFailed unless exactly one row fits */
function pick<Row>(rows: readonly Row[], given: string, { what, list, idOf, namesOf }: NamedKind<Row>): Row {
  const byId = rows.find((row) => idOf(row) === given);
  if (byId !== undefined) return byId;
  const wanted = given.toLowerCase();
  const named = rows.filter((row) => namesOf(row).some((name) => name?.toLowerCase() === wanted));
  const [only] = named;
  if (named.length === 1 && only !== undefined) return only;
  const problem =
    only === undefined
      ? `There is no ${what} ${JSON.stringify(given)}`
      : `Several ${what}s have the name ${JSON.stringify(given)}: ${named.map(idOf).join(", ")}`;
  throw new CommandFailed(`${problem}. Run \`${list}\` to see the ids.`);
}

const limit = LIMITS.maxPageSize;

export async function findSource(access: WorkspaceAccess, given: string): Promise<SourceRecord> {
  const { ledger, organizationId, now } = access;
  // an id may be of another workspace
  const byId = await ledger.source({ sourceId: given, now });
  if (byId) return byId;
  const rows = await readAllPages((cursor) => ledger.sources({ organizationId, limit, cursor }));
  return pick(rows, given, {
    what: "source",
    list: "headwater source list",
    idOf: ({ sourceId }) => sourceId,
    namesOf: ({ name, slug, publicKey }) => [name, slug, publicKey],
  });
}

export async function findMember(access: WorkspaceAccess, given: string): Promise<MemberRecord> {
  const { ledger, organizationId } = access;
  const rows = await readAllPages((cursor) => ledger.members({ organizationId, limit, cursor }));
  return pick(rows, given, {
    what: "member",
    list: "headwater member list",
    idOf: ({ userId }) => userId,
    namesOf: ({ name, email }) => [name, email],
  });
}

/** Tokens of the workspace, and its members' tokens for all of their workspaces. */
export async function readTokens({ ledger, organizationId }: WorkspaceAccess): Promise<Token[]> {
  const ofAll = { includeUserWide: "members", sourceId: null, scope: null } as const;
  const records = await readAllPages((cursor) => ledger.tokens({ organizationId, limit, cursor, ...ofAll }));
  return records.map(renderToken);
}

/** A label finds tokens that are not revoked; an id finds any. */
export const findToken = async (access: WorkspaceAccess, given: string): Promise<Token> =>
  pick(await readTokens(access), given, {
    what: "token",
    list: "headwater token list",
    idOf: ({ tokenId }) => tokenId,
    namesOf: ({ label, revokedAt }) => (revokedAt === null ? [label] : []),
  });
