/** `headwater workspace`: the workspaces of this service. */

import { LIMITS } from "@headwater/contract";
import { createOrganization } from "../../access/workspaces.ts";
import { HEADWATER } from "../../core/command-name.ts";
import { override } from "../../core/members.ts";
import { toIsoTime } from "../../core/time.ts";
import type { Catalog } from "../../ledger/ledger.ts";
import { callOperation } from "../api-call.ts";
import { defineCommand, required, text } from "../command.ts";
import { findOwner, findUserId } from "../find-named.ts";
import { readAllPages, withLedger, withWorkspace } from "../ledger-access.ts";
import { tableOr, toMinute } from "../report.ts";

const list = defineCommand({
  description: "List the workspaces of this service",
  run: () =>
    withLedger(async ({ ledger }) => {
      const found = await readAllPages((cursor) =>
        ledger.organizations({ limit: LIMITS.maxPageSize, cursor }),
      );
      const organizations = found.map((one) => ({ ...one, createdAt: toIsoTime(one.createdAt) }));
      const head = ["id", "name", "members", "sources", "since"];
      const rows = organizations.map(({ organizationId, name, members, sources, createdAt }) => [
        organizationId,
        name,
        members,
        sources,
        toMinute(createdAt),
      ]);
      const whenEmpty = `No workspaces yet. Run \`${HEADWATER} serve\`, which creates the first one and its owner.`;
      return { json: { organizations }, text: tableOr(whenEmpty, head, rows) };
    }),
});

const create = defineCommand({
  description: "Create a workspace",
  options: {
    name: required(text("text", "The workspace's name")),
    owner: text(
      "id|name|email",
      "The user who owns it: a member of any workspace, or the `sub` of a JWT (default: the owner of ORGANIZATION_ID)",
    ),
  },
  run: ({ name, owner: given }) =>
    withWorkspace(undefined, async (access) => {
      const { ledger } = access;
      const owner = given === undefined ? await findOwner(access) : await findUserId(access, given);
      // by the API the caller becomes the owner
      const createOwned: Catalog["createOrganization"] = (record) =>
        ledger.createOrganization({ ...record, owner });
      const asOwner = { ...access, ledger: override(ledger, { createOrganization: createOwned }) };
      const input = { body: { name } };
      const created = await callOperation(asOwner, "createOrganization", createOrganization, input);
      const { organizationId } = created;
      return {
        json: { organizationId, name: created.name, owner },
        text: `Created ${organizationId} for ${owner}.`,
        note: `Run \`${HEADWATER} source create --organization ${organizationId} --name …\` to create its first source.`,
      };
    }),
});

export const workspace = { description: "Manage workspaces", commands: { list, create } };
