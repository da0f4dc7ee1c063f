/** `headwater token create`: a token for a member, or for an owner who lost theirs. */
import { TOKEN_SCOPES, type TokenScope } from "@headwater/contract";
import { createToken as createTokenOperation } from "../../access/tokens.ts";
import { override } from "../../core/override.ts";
import type { Catalog } from "../../ledger/ledger.ts";
import { callOperation } from "../api-call.ts";
import { choice, defineCommand, flag, ORGANIZATION_OPTION, text } from "../command.ts";
import { UsageError } from "../errors.ts";
import { findMember, findSource } from "../find-named.ts";
import { findOwner, requireOwner } from "../find-owner.ts";
import { COMMAND_LINE, type WorkspaceAccess, withWorkspace } from "../ledger-access.ts";

interface TokenOptions {
  readonly owner: boolean;
  readonly user: string | undefined;
  readonly label: string | undefined;
  readonly expires: string | undefined;
  readonly source: string | undefined;
  readonly scope: TokenScope | undefined;
}

function checkOptions({ owner, user, label, source, scope }: TokenOptions): void {
  if (owner && source !== undefined)
    throw new UsageError(
      "--owner and --source exclude each other: --owner gives access to every workspace of the owner, --source only to the stats of one source.",
    );
  if (scope !== undefined && source === undefined)
    throw new UsageError("--scope needs --source <id|name>: the source that the token is for.");
  if (owner) return;
  if (user === undefined)
    throw new UsageError(
      "Missing option --user <id|name|e-mail>: the member who gets the token. --owner creates one for the workspace's owner.",
    );
  if (label === undefined)
    throw new UsageError("Missing option --label <text>: a word or two that say what the token is for.");
}

async function create(access: WorkspaceAccess, { owner, user, label, expires, source, scope }: TokenOptions) {
  const { ledger, newId, organizationId } = access;
  // a token for all workspaces is created in its user's name; the audit log still names the command line
  const createAudited: Catalog["createToken"] = (record) =>
    ledger.createToken({ ...record, actor: COMMAND_LINE });
  const audited = override(ledger, { createToken: createAudited });
  const { userId } =
    user === undefined ? { userId: await findOwner(access) } : await findMember(access, user);
  if (owner) await requireOwner(access, userId);
  const sourceId = source === undefined ? undefined : (await findSource(access, source)).sourceId;
  const body = {
    organizationId,
    userId,
    label: label ?? "Owner, from the command line",
    ...(expires === undefined ? {} : { expiresAt: expires }),
    ...(owner ? { allWorkspaces: true } : {}),
    ...(sourceId === undefined ? {} : { sourceId }),
    ...(scope === undefined ? {} : { scope }),
  };
  const actor = owner ? { userId, tokenId: null } : COMMAND_LINE;
  const handler = createTokenOperation(audited, newId);
  return callOperation(access, "createToken", handler, { body, actor });
}

/** What the token is for, as the end of a sentence. */
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
  details: ["The token is for a member, or with --owner for the owner of the workspace."],
  options: {
    owner: flag(
      "Create a token of the owner, valid for all of their workspaces, for example after they lost theirs",
    ),
    user: text("id|name|e-mail", "The member who gets the token"),
    label: text("text", "What the token is for"),
    source: text("id|name", "Limit the token to this source. --scope says what it may do there"),
    scope: choice(
      TOKEN_SCOPES,
      "With --source: `stats` (default) reads its stats, for sharing; `ingest` sends its events from a server",
    ),
    expires: text("time", "When the token expires, such as 2027-01-31T12:00:00Z (default: never)"),
    ...ORGANIZATION_OPTION,
  },
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
