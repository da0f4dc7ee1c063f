/** `headwater source`: the tracked applications of a workspace. */
import type { Source } from "@headwater/contract";
import { defineCommand } from "citty";
import { createSource, listSources } from "../sources/routes.ts";
import { JSON_FLAG, ORGANIZATION_FLAG, valuesOf } from "./arguments.ts";
import { everyRow, perform, withWorkspace } from "./operator.ts";
import { listing, minute, type Report } from "./report.ts";
import { described } from "./source-fields.ts";
import { installSource } from "./source-install.ts";
import { updateSourceCommand } from "./source-update.ts";

const createArgs = {
  name: { type: "string", required: true, description: "Its name, for people" },
  origin: {
    type: "string",
    description: "An origin that may send, as https://example.com or https://*.example.com; may be repeated",
  },
  framework: {
    type: "string",
    description: "nextjs, react, vue, nuxt, svelte, angular, astro, remix or html",
  },
  slug: { type: "string", description: "Its name in addresses; default: derived from --name" },
  ...ORGANIZATION_FLAG,
  ...JSON_FLAG,
} as const;

function nextStep({ sourceId, allowedOrigins }: Source): string {
  const install = `\`headwater source install ${sourceId}\` prints what to paste into the application.`;
  if (allowedOrigins.length > 0) return install;
  const letIn = `\`headwater source update ${sourceId} --origin https://…\` lets one in.`;
  return `No --origin was given, so that no browser is let in yet: ${letIn} ${install}`;
}

const create = defineCommand({
  meta: { description: "Make a source and its public key" },
  args: createArgs,
  run: ({ args, rawArgs }) =>
    withWorkspace(args.organization, async (operator): Promise<Report> => {
      const { ledger, newId, organizationId } = operator;
      const body = {
        organizationId,
        name: args.name,
        allowedOrigins: valuesOf(rawArgs, createArgs, "origin"),
        ...(args.framework === undefined ? {} : { frameworkHint: args.framework }),
        ...(args.slug === undefined ? {} : { slug: args.slug }),
      };
      const source = await perform(operator, "createSource", createSource(ledger, newId), { body });
      return { json: source, text: described(source), note: nextStep(source) };
    }),
});

const row = (source: Source) => [
  source.sourceId,
  source.name,
  source.publicKey,
  source.isActive ? "active" : "switched off",
  minute(source.lastEventAt) ?? "nothing yet",
  source.allowedOrigins.join(", ") || "none",
];

const list = defineCommand({
  meta: { description: "The sources of a workspace" },
  args: { ...ORGANIZATION_FLAG, ...JSON_FLAG },
  run: ({ args }) =>
    withWorkspace(args.organization, async (operator): Promise<Report> => {
      const { organizationId } = operator;
      const sources = await everyRow(async (cursor) => {
        const query = { organizationId, ...(cursor === null ? {} : { cursor }) };
        const page = await perform(operator, "listSources", listSources(operator.ledger), { query });
        return { rows: page.sources, nextCursor: page.nextCursor };
      });
      const head = ["id", "name", "public key", "state", "last event", "origins"];
      const empty =
        "No sources yet. `headwater source create --name Shop --origin https://shop.example` makes one.";
      return { json: { sources }, text: listing(head, sources.map(row), empty) };
    }),
});

export const source = defineCommand({
  meta: { description: "Tracking sources: create, list, update, install" },
  subCommands: { create, list, update: updateSourceCommand, install: installSource },
});
