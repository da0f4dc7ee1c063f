/** `headwater token`: access tokens, each printed once when it is created. */

import type { Token } from "@headwater/contract";
import { HEADWATER } from "../../core/command-name.ts";
import { toIsoTime } from "../../core/time.ts";
import { makeToken } from "../../core/token.ts";
import { defineCommand, ORGANIZATION_OPTION } from "../command.ts";
import { findToken, readTokens } from "../find-named.ts";
import { COMMAND_LINE, withWorkspace } from "../ledger-access.ts";
import { tableOr, toMinute } from "../report.ts";
import { createToken } from "./token-create.ts";

const generate = defineCommand({
  description: "Print a new random token for OWNER_TOKEN; nothing is stored",
  run: () => {
    const { token: generated } = makeToken();
    return { json: { token: generated }, text: generated };
  },
});

function describeState({ revokedAt, expiresAt }: Token, now: number): string {
  if (revokedAt !== null) return `revoked ${toMinute(revokedAt)}`;
  if (expiresAt === null) return "active";
  return Date.parse(expiresAt) <= now ? `expired ${toMinute(expiresAt)}` : `until ${toMinute(expiresAt)}`;
}

function describeScope({ organizationId, sourceId, scope }: Token): string {
  if (scope === "console") return "console";
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
      const head = ["id", "label", "user", "access to", "last characters", "last used", "state"];
      const whenEmpty = `No token gives access to this workspace. Run \`${HEADWATER} token create --owner\` to create one for its owner.`;
      const rows = tokens.map((record) => toRow(record, access.now));
      return { json: { tokens }, text: tableOr(whenEmpty, head, rows) };
    }),
});

const revoke = defineCommand({
  description: "Revoke a token; a running service refuses it within a second",
  positionals: { token: "The token's id or label" },
  options: ORGANIZATION_OPTION,
  run: ({ organization, token: given }) =>
    withWorkspace(organization, async (access) => {
      const found = await findToken(access, given);
      const { tokenId } = found;
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
