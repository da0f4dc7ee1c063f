/** `headwater token create`: a token for a service account or a source, or for an owner who lost theirs. */

import { TOKEN_SCOPES } from "@headwater/contract";
import { createToken as createTokenOperation } from "../../access/tokens.ts";
import { HEADWATER } from "../../core/command-name.ts";
import { override } from "../../core/members.ts";
import type { Catalog } from "../../ledger/ledger.ts";
import { callOperation } from "../api-call.ts";
import { choice, defineCommand, flag, type OptionValues, ORGANIZATION_OPTION, text } from "../command.ts";
import { UsageError } from "../errors.ts";
import { findOwner, findServiceAccount, findSource } from "../find-named.ts";
import { COMMAND_LINE, type WorkspaceAccess, withWorkspace } from "../ledger-access.ts";

const OPTIONS = {
  owner: flag(
    "Create a token for the owner, valid for all of their workspaces, for example if they have lost their token",
  ),
  account: text("id|name", "The service account that the token is for"),
  user: text("id|name|email", "With --owner: the owner that the token is for, if there are several"),
  label: text("text", "What the token is for"),
  source: text("id|name", "The source that the token is for. --scope says what it may do there"),
  scope: choice(
    TOKEN_SCOPES,
    "With --source: `stats` (default) reads its stats, for sharing; `ingest` sends its events from a server",
  ),
  expires: text("time", "When the token expires, such as 2027-01-31T12:00:00Z (default: never)"),
};
type TokenOptions = OptionValues<typeof OPTIONS>;

function checkOptions({ owner, user, account, label, source, scope }: TokenOptions): void {
  const kinds = [owner, account !== undefined, source !== undefined].filter(Boolean);
  if (kinds.length !== 1)
    throw new UsageError(
      "Give one of --account <id|name> (a service account), --source <id|name> (the stats or events of a source) and --owner (every workspace of the owner).",
    );
  if (user !== undefined && !owner)
    throw new UsageError(
      `--user needs --owner, and says which owner. For programs, use --account <id|name>; \`${HEADWATER} member add --name <text> --role <role>\` creates one.`,
    );
  if (scope !== undefined && source === undefined)
    throw new UsageError("--scope needs --source <id|name>: the source that the token is for.");
  if (!owner && label === undefined)
    throw new UsageError("Missing option --label <text>: a word or two that say what the token is for.");
}

/** The user of the token. undefined: it belongs to a source. */
async function findUser(
  access: WorkspaceAccess,
  { owner, user, account }: TokenOptions,
): Promise<string | undefined> {
  if (account !== undefined) return (await findServiceAccount(access, account)).userId;
  return owner ? findOwner(access, user) : undefined;
}

async function create(access: WorkspaceAccess, options: TokenOptions) {
  const { owner, label, expires, source, scope } = options;
  const { ledger, organizationId } = access;
  // a token for all workspaces is created in its user's name; the audit log still names the command line
  const createAudited: Catalog["createToken"] = (record) =>
    ledger.createToken({ ...record, actor: COMMAND_LINE });
  const audited = { ...access, ledger: override(ledger, { createToken: createAudited }) };
  const userId = await findUser(access, options);
  const sourceId = source === undefined ? undefined : (await findSource(access, source)).sourceId;
  const body = {
    organizationId,
    ...(userId === undefined ? {} : { userId }),
    label: label ?? "Owner, from the command line",
    ...(expires === undefined ? {} : { expiresAt: expires }),
    ...(owner ? { allWorkspaces: true } : {}),
    ...(sourceId === undefined ? {} : { sourceId }),
    ...(scope === undefined ? {} : { scope }),
  };
  const actor = owner && userId !== undefined ? { userId, tokenId: null } : COMMAND_LINE;
  return callOperation(audited, "createToken", createTokenOperation, { body, actor });
}

/** The purpose of the token, as the end of a sentence. */
function describePurpose(
  { owner, source, scope }: TokenOptions,
  { organizationId, userId }: { organizationId: string; userId: string },
): string {
  if (owner) return `gives ${userId} access to every workspace of its user`;
  if (source === undefined) return `gives ${userId} access to ${organizationId}`;
  return scope === "ingest" ? `can send events of ${source}` : `gives access to the stats of ${source}`;
}

export const createToken = defineCommand({
  description: "Create a token and print it once",
  details: [
    "The token is for a service account, for a source, or with --owner for the owner of the workspace. People create their own tokens in the console.",
  ],
  options: { ...OPTIONS, ...ORGANIZATION_OPTION },
  run: ({ organization, ...options }) => {
    checkOptions(options);
    return withWorkspace(organization, async (access) => {
      const created = await create(access, options);
      const { organizationId } = access;
      const purpose = describePurpose(options, { organizationId, userId: created.userId });
      const note = `The token ${purpose}. It is not shown again; its id is ${created.tokenId}.`;
      return { json: created, text: created.token, note };
    });
  },
});
