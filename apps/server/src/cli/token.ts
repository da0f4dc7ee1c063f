/** `headwater token`: access tokens, shown once when they are made. */
import { LIMITS, type Token } from "@headwater/contract";
import { defineCommand } from "citty";
import { renderToken } from "../access/token-operations.ts";
import { Refusal } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import { makeToken } from "../core/token.ts";
import { JSON_FLAG, ORGANIZATION_FLAG } from "./arguments.ts";
import { COMMAND_LINE, everyRow, type WorkspaceOperator, withWorkspace } from "./operator.ts";
import { listing, minute, type Report } from "./report.ts";
import { createToken } from "./token-create.ts";

const generate = defineCommand({
  meta: { description: "Print a fresh token for OWNER_TOKEN; nothing is stored" },
  args: JSON_FLAG,
  run: (): Report => {
    const { token } = makeToken();
    return { json: { token }, text: token };
  },
});

/** Those of the workspace, and those that open it because they open every workspace of a member. */
async function tokensOf({ ledger, organizationId }: WorkspaceOperator): Promise<Token[]> {
  const page = {
    organizationId,
    limit: LIMITS.maxPageSize,
    includeUserWide: "members" as const,
    sourceId: null,
  };
  return (await everyRow((cursor) => ledger.tokens({ ...page, cursor }))).map(renderToken);
}

function stateOf({ revokedAt, expiresAt }: Token, now: number): string {
  if (revokedAt !== null) return `revoked ${minute(revokedAt)}`;
  if (expiresAt === null) return "active";
  return Date.parse(expiresAt) <= now ? `expired ${minute(expiresAt)}` : `until ${minute(expiresAt)}`;
}

const row = (token: Token, now: number) => [
  token.tokenId,
  token.label,
  token.userId,
  token.sourceId === null ? (token.organizationId ?? "all workspaces") : `numbers of ${token.sourceId}`,
  `…${token.hint}`,
  minute(token.lastUsedAt) ?? "never used",
  stateOf(token, now),
];

const list = defineCommand({
  meta: { description: "The tokens that open a workspace, without their secrets" },
  args: { ...ORGANIZATION_FLAG, ...JSON_FLAG },
  run: ({ args }) =>
    withWorkspace(args.organization, async (operator): Promise<Report> => {
      const tokens = await tokensOf(operator);
      const head = ["id", "label", "user", "opens", "ends in", "last used", "state"];
      const empty =
        "No token opens this workspace. `headwater token create --owner` makes one for its owner.";
      const rows = tokens.map((token) => row(token, operator.now));
      return { json: { tokens }, text: listing(head, rows, empty) };
    }),
});

const revoke = defineCommand({
  meta: { description: "Stop a token; a running service stops it within a second" },
  args: {
    id: { type: "positional", required: true, description: "The token's id, tok_…" },
    ...ORGANIZATION_FLAG,
    ...JSON_FLAG,
  },
  run: ({ args }) =>
    withWorkspace(args.organization, async (operator): Promise<Report> => {
      const { id: tokenId } = args;
      const token = (await tokensOf(operator)).find((one) => one.tokenId === tokenId);
      if (!token) throw new Refusal("token_not_found");
      if (token.revokedAt !== null) {
        return { json: { tokenId, revokedAt: token.revokedAt }, text: `${tokenId} was revoked already.` };
      }
      // the API revokes no token for all of another user's workspaces; who may read the ledger's file may
      await operator.ledger.revokeToken({ tokenId, actor: COMMAND_LINE, now: operator.now });
      const revokedAt = toIsoTime(operator.now);
      return { json: { tokenId, revokedAt }, text: `Revoked ${tokenId} (${token.label}).` };
    }),
});

export const token = defineCommand({
  meta: { description: "Access tokens: generate, create, list, revoke" },
  subCommands: { generate, create: createToken, list, revoke },
});
