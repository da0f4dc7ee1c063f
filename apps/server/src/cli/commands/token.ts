/** `headwater token`: access tokens, each printed once when it is created. */
import { LIMITS, type Token } from "@headwater/contract";
import { renderToken } from "../../access/tokens.ts";
import { Refusal } from "../../core/refusal.ts";
import { toIsoTime } from "../../core/time.ts";
import { makeToken } from "../../core/token.ts";
import { defineCommand, ORGANIZATION_OPTION } from "../command.ts";
import { COMMAND_LINE, readAllPages, type WorkspaceAccess, withWorkspace } from "../ledger-access.ts";
import { tableOr, toMinute } from "../report.ts";
import { createToken } from "./token-create.ts";

const generate = defineCommand({
  description: "Print a new random token for OWNER_TOKEN; nothing is stored",
  run: () => {
    const { token: generated } = makeToken();
    return { json: { token: generated }, text: generated };
  },
});

/** Tokens of the workspace, and its members' tokens for all of their workspaces. */
async function readTokens({ ledger, organizationId }: WorkspaceAccess): Promise<Token[]> {
  const records = await readAllPages((cursor) =>
    ledger.tokens({
      organizationId,
      limit: LIMITS.maxPageSize,
      includeUserWide: "members",
      sourceId: null,
      scope: null,
      cursor,
    }),
  );
  return records.map(renderToken);
}

function describeState({ revokedAt, expiresAt }: Token, now: number): string {
  if (revokedAt !== null) return `revoked ${toMinute(revokedAt)}`;
  if (expiresAt === null) return "active";
  return Date.parse(expiresAt) <= now ? `expired ${toMinute(expiresAt)}` : `until ${toMinute(expiresAt)}`;
}

function describeScope({ organizationId, sourceId, scope }: Token): string {
  if (sourceId === null) return organizationId ?? "all workspaces";
  return `${scope === "ingest" ? "sending events" : "stats"} of ${sourceId}`;
}

const toRow = (record: Token, now: number) => [
  record.tokenId,
  record.label,
  record.userId,
  describeScope(record),
  `…${record.hint}`,
  toMinute(record.lastUsedAt) ?? "never used",
  describeState(record, now),
];

const list = defineCommand({
  description: "List the tokens that give access to a workspace, without their secrets",
  options: ORGANIZATION_OPTION,
  run: ({ organization }) =>
    withWorkspace(organization, async (access) => {
      const tokens = await readTokens(access);
      const head = ["id", "label", "user", "access to", "ends in", "last used", "state"];
      const whenEmpty =
        "No token gives access to this workspace. Run `headwater token create --owner` to create one for its owner.";
      const rows = tokens.map((record) => toRow(record, access.now));
      return { json: { tokens }, text: tableOr(whenEmpty, head, rows) };
    }),
});

const revoke = defineCommand({
  description: "Revoke a token; a running service refuses it within a second",
  positionals: { id: "The token's id (tok_…)" },
  options: ORGANIZATION_OPTION,
  run: ({ organization, id: tokenId }) =>
    withWorkspace(organization, async (access) => {
      const found = (await readTokens(access)).find((one) => one.tokenId === tokenId);
      if (!found) throw new Refusal("token_not_found");
      if (found.revokedAt !== null) {
        return { json: { tokenId, revokedAt: found.revokedAt }, text: `${tokenId} was revoked already.` };
      }
      // not by the API, which does not revoke another user's token for all workspaces
      await access.ledger.revokeToken({ tokenId, actor: COMMAND_LINE, now: access.now });
      const revokedAt = toIsoTime(access.now);
      return { json: { tokenId, revokedAt }, text: `Revoked ${tokenId} (${found.label}).` };
    }),
});

export const token = {
  description: "Manage access tokens",
  commands: { generate, create: createToken, list, revoke },
};
