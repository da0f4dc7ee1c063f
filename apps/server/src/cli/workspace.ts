/** `headwater workspace`: every workspace of this service. */
import { LIMITS } from "@headwater/contract";
import { defineCommand } from "citty";
import { createOrganization } from "../access/organizations.ts";
import { override } from "../core/override.ts";
import { toIsoTime } from "../core/time.ts";
import type { Catalog } from "../ledger/ledger.ts";
import { JSON_FLAG } from "./arguments.ts";
import { everyRow, perform, withLedger, withWorkspace } from "./operator.ts";
import { ownerOf } from "./owner.ts";
import { listing, minute, type Report } from "./report.ts";

const list = defineCommand({
  meta: { description: "Every workspace of this service" },
  args: JSON_FLAG,
  run: () =>
    withLedger(async ({ ledger }): Promise<Report> => {
      const found = await everyRow((cursor) => ledger.organizations({ limit: LIMITS.maxPageSize, cursor }));
      const organizations = found.map((one) => ({ ...one, createdAt: toIsoTime(one.createdAt) }));
      const head = ["id", "name", "members", "sources", "since"];
      const rows = organizations.map((one) => [
        one.organizationId,
        one.name,
        one.members,
        one.sources,
        minute(one.createdAt),
      ]);
      const empty = "No workspaces yet. `headwater serve` makes the first one and its owner.";
      return { json: { organizations }, text: listing(head, rows, empty) };
    }),
});

const create = defineCommand({
  meta: { description: "Make a workspace" },
  args: {
    name: { type: "string", required: true, description: "Its name, for people" },
    owner: {
      type: "string",
      valueHint: "id",
      description: "Its owner; default: the owner of ORGANIZATION_ID",
    },
    ...JSON_FLAG,
  },
  run: ({ args }) =>
    withWorkspace(undefined, async (operator): Promise<Report> => {
      const { ledger, newId } = operator;
      const owner = args.owner ?? (await ownerOf(operator, undefined));
      const createOwned: Catalog["createOrganization"] = (made) =>
        ledger.createOrganization({ ...made, owner });
      const owned = override(ledger, { createOrganization: createOwned });
      const body = { name: args.name };
      const made = await perform(operator, "createOrganization", createOrganization(owned, newId), { body });
      const { organizationId, name } = made;
      const note = `\`headwater source create --organization ${organizationId} --name …\` makes its first source.`;
      return { json: { organizationId, name, owner }, text: `Made ${organizationId} for ${owner}.`, note };
    }),
});

export const workspace = defineCommand({
  meta: { description: "Workspaces: list, create" },
  subCommands: { list, create },
});
