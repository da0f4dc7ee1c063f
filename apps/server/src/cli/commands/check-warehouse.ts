/** `headwater check-warehouse`: which shipped events the warehouse lacks, and how to stop reporting them. */

import type { WarehouseClient } from "../../clickhouse/client.ts";
import { listDetached } from "../../clickhouse/parts.ts";
import { HEADWATER } from "../../core/command-name.ts";
import { buildReport, COMPLETE, type DayCount, dayText, sumEvents } from "../../ledger/warehouse-report.ts";
import { refuseWarehouseElsewhere } from "../../open-warehouse.ts";
import { acceptMissing, compareWarehouse, describeSurplus, type MissingDay } from "../../shipping/compare.ts";
import { defineCommand, flag } from "../command.ts";
import { CommandFailed } from "../errors.ts";
import { type LedgerAccess, withLedger } from "../ledger-access.ts";
import { type CommandReport, table } from "../report.ts";
import { withServedWarehouse } from "../warehouse-access.ts";

const NEXT = `docs/operate/runbook/HeadwaterEventsMissing.md says how to bring them back. To stop reporting events that cannot be brought back, run \`${HEADWATER} check-warehouse --accept\`.`;

/** The sentences, if there are any. */
const noteOf = (...sentences: string[]) => (sentences.length > 0 ? { note: sentences.join("\n") } : {});

/** @param notes sentences about what the comparison did besides */
function report(missing: readonly MissingDay[], detachedParts: string[], notes: string[]): CommandReport {
  const days = missing.map(({ sourceId, day, events, held }) => ({
    sourceId,
    day: dayText(day),
    shipped: held + events,
    held,
    missing: events,
  }));
  const missingEvents = sumEvents(missing);
  const json = { missingEvents, days, detachedParts };
  if (missingEvents === 0) {
    const text = "The warehouse holds every event that was shipped to it.";
    return { json, text, ...noteOf(...notes) };
  }
  const rows = days.map((day) => [day.sourceId, day.day, day.shipped, day.held, day.missing]);
  const parts = detachedParts.length === 0 ? [] : ["", `Detached parts: ${detachedParts.join(", ")}`];
  const text = [table(["source", "day", "shipped", "held", "missing"], rows), ...parts].join("\n");
  return { json, text, ...noteOf(...notes, NEXT), exitCode: 1 };
}

/** From now on the warehouse must hold what it holds now. */
async function accept(
  { ledger, now }: LedgerAccess,
  missing: readonly MissingDay[],
  notes: string[],
): Promise<CommandReport> {
  if (!(await acceptMissing(ledger, missing)))
    throw new CommandFailed(
      "The counts of shipped events changed while the command ran. Run the command again.",
    );
  await ledger.saveWarehouseReport({ report: COMPLETE, comparedAt: now });
  const accepted = sumEvents(missing);
  const text = `${accepted} missing events are no longer reported.`;
  return { json: { accepted }, text, ...noteOf(...notes) };
}

async function check(access: LedgerAccess, client: WarehouseClient, isAccepting: boolean) {
  const { ledger, now } = access;
  const { signal } = new AbortController();
  // a command does not know since when the service runs
  const startedAt = Number.POSITIVE_INFINITY;
  const notes: string[] = [];
  const onSurplus = (days: readonly DayCount[]) => void notes.push(describeSurplus(days));
  const missing = await compareWarehouse({ ledger, client, now, startedAt, signal, onSurplus });
  if (isAccepting) return accept(access, missing, notes);
  const detachedParts = await listDetached(client, "events", signal);
  await ledger.saveWarehouseReport({ report: buildReport(missing, detachedParts), comparedAt: now });
  return report(missing, detachedParts, notes);
}

export const checkWarehouse = defineCommand({
  description: "Count the shipped events that the warehouse no longer has, by source and day",
  details: ["The service can keep running. Exits with 1 when events are missing."],
  options: { accept: flag("Stop reporting the events that are missing now") },
  run: ({ accept: isAccepting }) =>
    withLedger(async (access) => {
      await refuseWarehouseElsewhere(access.config, access.ledger);
      return withServedWarehouse(access.config, (client) => check(access, client, isAccepting));
    }),
});
