/** `headwater statement`: the statement of delivery of a source and day. */
import type { DeliveryDay } from "@headwater/contract";
import { readDaySpan } from "../../core/day-span.ts";
import { utcDay } from "../../core/time.ts";
import { computeStatement } from "../../delivery/statement.ts";
import { refuseWarehouseElsewhere } from "../../open-warehouse.ts";
import { runOn } from "../../stats/sql/run-on.ts";
import { defineCommand, ORGANIZATION_OPTION, SOURCE } from "../command.ts";
import { findSource } from "../find-named.ts";
import { withWorkspace } from "../ledger-access.ts";
import { type CommandReport, table } from "../report.ts";
import { withServedWarehouse } from "../warehouse-access.ts";

const named = (what: string, counts: Readonly<Record<string, number>>): [string, number][] =>
  Object.entries(counts).map(([cause, events]) => [`${what}: ${cause}`, events]);

function report(day: DeliveryDay, json: unknown): CommandReport {
  const rows = [
    ["produced", day.produced],
    ["accepted", day.accepted],
    ...named("rejected", day.rejected),
    ...named("dropped", day.dropped),
    ["missing", day.missing],
    ["still possible", day.stillPossible],
    ["in the warehouse", day.inWarehouse],
    ["lost in the warehouse", day.lostInWarehouse],
    ["erased", day.erased],
    ["expired", day.expired],
    ["waiting", day.waiting],
  ] as const;
  return { json, text: table([day.day, "events"], rows), exitCode: day.lostInWarehouse > 0 ? 1 : 0 };
}

export const statement = defineCommand({
  description: "Account for a source's events on one day: produced, accepted, lost, stored",
  details: ["The service can keep running. Exits with 1 when the warehouse has lost accepted events."],
  positionals: { ...SOURCE, day: "The UTC day, such as 2026-11-21" },
  options: ORGANIZATION_OPTION,
  run: ({ source: given, day, organization }) =>
    withWorkspace(organization, async (access) => {
      const { config, ledger, now } = access;
      await refuseWarehouseElsewhere(config, ledger);
      const { sourceId } = await findSource(access, given);
      const span = readDaySpan({ from: day, to: day }, { now, defaultDays: 1, maxDays: 1 });
      return withServedWarehouse(config, async (client) => {
        const run = runOn(client, new AbortController().signal);
        const secret = config.ALERT_WEBHOOK_SECRET;
        const json = await computeStatement(
          { ledger, run, now, secret },
          { sourceId, ...span, by: undefined },
        );
        const [account] = json.days;
        if (!account) throw new Error(`the statement of ${utcDay(now)} has no day`);
        return report(account, json);
      });
    }),
});
