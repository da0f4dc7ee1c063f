/** Faults under 100 events per second with counted ids: what was lost, whether it was reported, and what was acknowledged after. */
import { type DrillFigures, isReported } from "../loss/drill.ts";
import {
  clockAhead,
  damagedAttempts,
  damagedLedger,
  fullDisk,
  killedRestore,
  removedFolder,
} from "../loss/file-drills.ts";
import { frozenPostgres, transactionPooler } from "../loss/postgres-drills.ts";
import { damagedParts } from "../loss/warehouse-drill.ts";
import { type BenchContext, type BenchSection, describeTarget, type ResultTable } from "../section.ts";

/** A drill that cannot run on this machine returns the reason. */
type Drill = () => Promise<DrillFigures | string>;

const DRILLS: readonly (readonly [string, Drill])[] = [
  ["DATA_DIR removed", removedFolder],
  ["damaged ledger page", damagedLedger],
  ["damaged attempts.sqlite", damagedAttempts],
  ["full disk", fullDisk],
  ["clock 40 days ahead", clockAhead],
  ["restore killed at ten moments", killedRestore],
  ["frozen PostgreSQL", frozenPostgres],
  ["transaction pooler", transactionPooler],
  ["damaged parts of the warehouse", damagedParts],
];

const meetsTarget = ({ lost, doubled, acknowledgedAfterKnown, report }: DrillFigures) =>
  (lost === 0 || isReported(report)) && doubled === 0 && acknowledgedAfterKnown === 0;

const TARGET = "nothing lost unreported, none doubled, none acknowledged once it is known";

function rowOf(name: string, found: DrillFigures | string): string[] {
  if (typeof found === "string") return [name, ...Array.from({ length: 10 }, () => "-"), `not run: ${found}`];
  const { report } = found;
  return [
    name,
    String(found.acknowledged),
    String(found.lost),
    String(found.doubled),
    found.noticedMs === null ? "-" : String(found.noticedMs),
    String(found.acknowledgedUnnoticed),
    String(found.acknowledgedAfterKnown),
    String(found.refused),
    report?.errorLine ?? "-",
    report?.metric ?? "-",
    report?.readyz ?? "-",
    [found.note, describeTarget(meetsTarget(found), TARGET)].filter(Boolean).join("; "),
  ];
}

/** Runs every drill, one after the other. A drill takes 10 to 90 s. */
export async function loss({ say }: BenchContext): Promise<BenchSection> {
  const found: { name: string; result: DrillFigures | string }[] = [];
  for (const [name, drill] of DRILLS) {
    const result = await drill();
    found.push({ name, result });
    say(`  ${name}: ${JSON.stringify(result)}`);
  }
  const table: ResultTable = {
    columns: [
      "fault",
      "acknowledged",
      "lost",
      "doubled",
      "refused after ms",
      "acknowledged until then",
      "acknowledged after it is known",
      "refused",
      "error line",
      "metric",
      "/readyz",
      "target",
    ],
    rows: found.map(({ name, result }) => rowOf(name, result)),
  };
  return {
    title: "Loss: faults under 100 events per second",
    date: new Date().toISOString(),
    settings: {},
    tables: [table],
    notes: [
      "The warehouse is off, except in the last row. There an acknowledged event is lost when it is not in the export; new events are accepted, because the ledger is whole. One process sends single events with counted ids and keeps each answer. At the end the ledger's files or its database are read without the service's code.",
    ],
    data: found,
  };
}
