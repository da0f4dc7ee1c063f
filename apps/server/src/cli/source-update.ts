/** `headwater source update`: what is not named stays as it is. */
import type { UpdateSourceBody } from "@headwater/contract";
import { defineCommand } from "citty";
import { Refusal } from "../core/refusal.ts";
import { updateSource } from "../sources/routes.ts";
import { JSON_FLAG } from "./arguments.ts";
import { UsageError } from "./failure.ts";
import { perform, withLedger } from "./operator.ts";
import type { Report } from "./report.ts";
import { changeOf, described, SOURCE_FLAGS } from "./source-fields.ts";

const args = {
  id: { type: "positional", required: true, description: "The source's id, src_…" },
  ...SOURCE_FLAGS,
  ...JSON_FLAG,
} as const;

export const updateSourceCommand = defineCommand({
  meta: { description: "Change a source: only what is given changes" },
  args,
  run: ({ args: given, rawArgs }) => {
    const change = changeOf(given, rawArgs, args);
    if (Object.keys(change).length === 0) {
      throw new UsageError("Nothing is to change; `headwater source update --help` shows what can.");
    }
    return withLedger(async (operator): Promise<Report> => {
      const { ledger, now } = operator;
      const source = await ledger.source({ sourceId: given.id, now });
      if (!source) throw new Refusal("source_not_found");
      const { organizationId } = source;
      // its shape is checked as that of a request is
      const body = { organizationId, ...change } as UpdateSourceBody;
      const inWorkspace = { ...operator, organizationId };
      const updated = await perform(inWorkspace, "updateSource", updateSource(ledger), { source, body });
      return { json: updated, text: described(updated) };
    });
  },
});
