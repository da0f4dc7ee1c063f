/** `headwater source update`: changes only the fields whose options are given. */
import { UpdateSourceBody } from "@headwater/contract";
import { Refusal } from "../../core/refusal.ts";
import { compile } from "../../core/validate.ts";
import { updateSource } from "../../sources/routes.ts";
import { callOperation } from "../api-call.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../errors.ts";
import { withLedger } from "../ledger-access.ts";
import { buildSourceChange, describeSource, SOURCE_OPTIONS } from "./source-options.ts";

export const updateSourceCommand = defineCommand({
  description: "Change a source. Fields whose options are not given stay as they are",
  positionals: { id: "The source's id (src_…)" },
  options: SOURCE_OPTIONS,
  run: ({ id, ...options }) => {
    const change = buildSourceChange(options);
    if (change === undefined) throw new UsageError("Nothing to change: give at least one option.");
    return withLedger(async (access) => {
      const { ledger, now } = access;
      const source = await ledger.source({ sourceId: id, now });
      if (!source) throw new Refusal("source_not_found");
      const { organizationId } = source;
      const body = { organizationId, ...change };
      const check = compile(UpdateSourceBody);
      if (!check(body)) throw new Refusal("invalid_payload", { issues: check.issues(body) });
      const inWorkspace = { ...access, organizationId };
      const updated = await callOperation(inWorkspace, "updateSource", updateSource(ledger), {
        source,
        body,
      });
      return { json: updated, text: describeSource(updated) };
    });
  },
});
