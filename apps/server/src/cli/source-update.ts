/** `headwater source update`: what is not named stays as it is. */
import type { Source } from "@headwater/contract";
import { defineCommand } from "citty";
import { Refusal } from "../refusal.ts";
import { updateSource } from "../sources/update.ts";
import { JSON_FLAG, valuesOf } from "./arguments.ts";
import { UsageError } from "./failure.ts";
import { perform, withLedger } from "./operator.ts";
import { fields, type Report } from "./report.ts";

const ON_OFF = { type: "enum" as const, options: ["on", "off"] };

const args = {
  id: { type: "positional", required: true, description: "The source's id, src_…" },
  name: { type: "string", description: "Its name, for people" },
  slug: { type: "string", description: "Its name in addresses" },
  origin: {
    type: "string",
    description: "An origin that may send; may be repeated. Those given replace the whole list",
  },
  framework: {
    type: "string",
    description: "nextjs, react, vue, nuxt, svelte, angular, astro, remix or html",
  },
  active: { ...ON_OFF, description: "off: bootstrap and events are refused until it is on again" },
  "require-origin": {
    ...ON_OFF,
    description: "off: a client that sends no Origin (a server, an app) is let in",
  },
  ...JSON_FLAG,
} as const;

const onOff = (on: boolean) => (on ? "on" : "off");

/** A source for people. */
export const described = (source: Source): string =>
  fields([
    ["id", source.sourceId],
    ["name", source.name],
    ["slug", source.slug],
    ["public key", source.publicKey],
    ["origins", source.allowedOrigins.join(", ")],
    ["framework", source.frameworkHint],
    ["active", onOff(source.isActive)],
    ["require origin", onOff(source.requireOrigin)],
  ]);

export const updateSourceCommand = defineCommand({
  meta: { description: "Change a source: only what is given changes" },
  args,
  run: ({ args: given, rawArgs }) => {
    const origins = valuesOf(rawArgs, args, "origin");
    const { name, slug, framework, active } = given;
    const requireOrigin = given["require-origin"];
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(slug === undefined ? {} : { slug }),
      ...(origins.length === 0 ? {} : { allowedOrigins: origins }),
      ...(framework === undefined ? {} : { frameworkHint: framework }),
      ...(active === undefined ? {} : { isActive: active === "on" }),
      ...(requireOrigin === undefined ? {} : { requireOrigin: requireOrigin === "on" }),
    };
    if (Object.keys(change).length === 0) {
      throw new UsageError("Nothing is to change; `headwater source update --help` shows what can.");
    }
    return withLedger(async (operator): Promise<Report> => {
      const { ledger, now } = operator;
      const source = await ledger.source({ sourceId: given.id, now });
      if (!source) throw new Refusal("source_not_found");
      const { organizationId } = source;
      const body = { organizationId, ...change };
      const inWorkspace = { ...operator, organizationId };
      const updated = await perform(inWorkspace, "updateSource", updateSource(ledger), { source, body });
      return { json: updated, text: described(updated) };
    });
  },
});
