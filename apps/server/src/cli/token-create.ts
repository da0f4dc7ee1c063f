/** `headwater token create`: for a member, or for the owner who lost theirs. */
import { defineCommand } from "citty";
import { createToken as createByApi } from "../access/token-operations.ts";
import { override } from "../core/override.ts";
import { Refusal } from "../core/refusal.ts";
import type { Catalog } from "../ledger/ledger.ts";
import { JSON_FLAG, ORGANIZATION_FLAG } from "./arguments.ts";
import { UsageError } from "./failure.ts";
import { COMMAND_LINE, perform, type WorkspaceOperator, withWorkspace } from "./operator.ts";
import { ownerOf } from "./owner.ts";
import type { Report } from "./report.ts";

interface Wanted {
  owner: boolean;
  user: string | undefined;
  label: string | undefined;
  expires: string | undefined;
  source: string | undefined;
}

function checkWanted({ owner, user, label, source }: Wanted): void {
  if (owner && source !== undefined)
    throw new UsageError(
      "--owner and --source exclude each other: one opens everything, one a source's numbers.",
    );
  if (owner) return;
  if (user === undefined) {
    throw new UsageError(
      "--user is missing: whose token is it? `--owner` makes one for the workspace's owner.",
    );
  }
  if (label === undefined)
    throw new UsageError("--label is missing: say in a word or two what the token is for.");
}

/** By the API a token for all workspaces is made by its own user; the audit log still names the command line. */
async function createFor(operator: WorkspaceOperator, { owner, user, label, expires, source }: Wanted) {
  const { ledger, newId, organizationId } = operator;
  const createAudited: Catalog["createToken"] = (made) =>
    ledger.createToken({ ...made, actor: COMMAND_LINE });
  const audited = override(ledger, { createToken: createAudited });
  const userId = owner ? await ownerOf(operator, user) : user!;
  if ((await ledger.roleOf({ userId, organizationId })) === null) throw new Refusal("member_not_found");
  const body = {
    organizationId,
    userId,
    label: label ?? "Owner, from the command line",
    ...(expires === undefined ? {} : { expiresAt: expires }),
    ...(owner ? { allWorkspaces: true } : {}),
    ...(source === undefined ? {} : { sourceId: source }),
  };
  const actor = owner ? { userId, tokenId: null } : COMMAND_LINE;
  return perform(operator, "createToken", createByApi(audited, newId), { body, actor });
}

export const createToken = defineCommand({
  meta: { description: "Make a token and show it once: for a member, or with --owner for the owner" },
  args: {
    owner: { type: "boolean", description: "For every workspace of an owner, who lost theirs" },
    user: {
      type: "string",
      valueHint: "id",
      description: "Whose token it is; `headwater member list` shows ids",
    },
    label: { type: "string", description: "What it is for" },
    source: {
      type: "string",
      valueHint: "id",
      description: "For the numbers of that source and nothing else: a token to be given away",
    },
    expires: {
      type: "string",
      valueHint: "time",
      description: "When it ends: 2027-01-31T12:00:00Z; default: never",
    },
    ...ORGANIZATION_FLAG,
    ...JSON_FLAG,
  },
  run: ({ args }) => {
    const { owner = false, user, label, expires, source } = args;
    const wanted = { owner, user, label, expires, source };
    checkWanted(wanted);
    return withWorkspace(args.organization, async (operator): Promise<Report> => {
      const created = await createFor(operator, wanted);
      const ofOne = source === undefined ? operator.organizationId : `the numbers of ${source}`;
      const opens = owner ? "every workspace of its user" : ofOne;
      const note = `It opens ${opens} for ${created.userId} and is not shown again; its id is ${created.tokenId}.`;
      return { json: created, text: created.token, note };
    });
  },
});
