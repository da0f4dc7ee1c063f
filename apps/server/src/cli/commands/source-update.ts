/** `headwater source update`: changes only the fields whose options are given. */
import { UpdateSourceBody } from "@headwater/contract";
import { Refusal } from "../../core/refusal.ts";
import { compile } from "../../core/validate.ts";
import { updateSource } from "../../sources/routes.ts";
import { callOperation } from "../api-call.ts";
import { defineCommand, ORGANIZATION_OPTION, SOURCE } from "../command.ts";
import { UsageError } from "../errors.ts";
import { findSource } from "../find-named.ts";
import { withWorkspace } from "../ledger-access.ts";
import { buildSourceChange, describeSource, SOURCE_OPTIONS } from "./source-options.ts";

export const updateSourceCommand = defineCommand({
  description: "Change a source. Fields whose options are not given stay as they are",
  positionals: SOURCE,
  options: { ...SOURCE_OPTIONS, ...ORGANIZATION_OPTION },
  run: ({ source: given, organization, ...options }) => {
    const change = buildSourceChange(options);
    if (change === undefined) throw new UsageError("Nothing to change: give at least one option.");
    return withWorkspace(organization, async (access) => {
      const { ledger } = access;
      const source = await findSource(access, given);
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
