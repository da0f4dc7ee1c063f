/** `headwater import`: events of a file, held to the rules of every event, each once. */
import { createReadStream } from "node:fs";
import type { EventCode } from "@headwater/contract";
import { defineCommand } from "citty";
import { JSON_FLAG } from "../../src/cli/arguments.ts";
import { CommandFailed } from "../../src/cli/failure.ts";
import { createProgress } from "../../src/cli/numbers.ts";
import { type Operator, withLedgerAlone } from "../../src/cli/operator.ts";
import type { Report } from "../../src/cli/report.ts";
import { withWarehouse } from "../../src/cli/warehouse.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { createEventParser } from "../../src/ingest/parse.ts";
import { chooseWarehouse } from "../../src/open-warehouse.ts";
import { type Imported, type Importing, judgeImported } from "./normalize.ts";
import { csvRecords, type FileRecord, ndjsonRecords } from "./records.ts";
import { oldBefore, type Stores, take } from "./take.ts";

const BATCH_EVENTS = 5_000;
const REJECTED_SHOWN = 100;

interface Rejected {
  line: number;
  code: EventCode;
  message: string;
}

interface Outcome {
  accepted: number;
  duplicates: number;
  rejected: number;
  /** The first of them. */
  rejectedLines: Rejected[];
}

/** The file's records, or what makes it none. */
async function* recordsIn(path: string, format: string | undefined): AsyncGenerator<FileRecord> {
  const chunks =
    path === "-" ? process.stdin.setEncoding("utf8") : createReadStream(path, { encoding: "utf8" });
  const isCsv = format === undefined ? path.toLowerCase().endsWith(".csv") : format === "csv";
  try {
    yield* isCsv ? csvRecords(chunks) : ndjsonRecords(chunks);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new CommandFailed(`${path} cannot be read (${code}).`);
  }
}

const TOO_OLD =
  "It is older than ingest takes events, and there is no warehouse to put it into: CLICKHOUSE_URL names one.";

async function importAll(
  records: AsyncIterable<FileRecord>,
  importing: Importing,
  stores: Stores,
  tell: ReturnType<typeof createProgress>,
): Promise<Outcome> {
  const outcome: Outcome = { accepted: 0, duplicates: 0, rejected: 0, rejectedLines: [] };
  const before = await oldBefore(stores);
  const reject = (line: number, code: EventCode, message: string) => {
    outcome.rejected += 1;
    if (outcome.rejectedLines.length < REJECTED_SHOWN) outcome.rejectedLines.push({ line, code, message });
  };
  let batch: Imported[] = [];
  let lines = new Map<Imported, number>();
  const flush = async () => {
    const { accepted, duplicates, tooOld } = await take(stores, batch, before);
    outcome.accepted += accepted;
    outcome.duplicates += duplicates;
    for (const one of tooOld) reject(lines.get(one)!, "timestamp_too_old", TOO_OLD);
    [batch, lines] = [[], new Map()];
  };
  for await (const { line, row, problem } of records) {
    tell(
      () =>
        `line ${line}: ${outcome.accepted} accepted, ${outcome.duplicates} duplicates, ${outcome.rejected} rejected`,
    );
    if (problem !== undefined) {
      reject(line, "invalid_event", problem);
      continue;
    }
    const judged = judgeImported(row, importing);
    if ("code" in judged) {
      reject(line, judged.code, judged.message);
      continue;
    }
    batch.push(judged);
    lines.set(judged, line);
    if (batch.length >= BATCH_EVENTS) await flush();
  }
  await flush();
  return outcome;
}

function reportOf(outcome: Outcome): Report {
  const { accepted, duplicates, rejected, rejectedLines } = outcome;
  const shown = rejectedLines.map(({ line, code, message }) => `line ${line}: ${code}: ${message}`);
  const more = rejected - rejectedLines.length;
  const sum = `${accepted} accepted, ${duplicates} duplicates, ${rejected} rejected.`;
  const text = [...shown, ...(more > 0 ? [`… and ${more} more`] : []), sum].join("\n");
  return { json: outcome, text, exitCode: rejected > 0 ? 1 : 0 };
}

/** With the warehouse, where there is one. */
async function withStores<T>(
  operator: Operator,
  sourceId: string,
  work: (stores: Stores) => Promise<T>,
): Promise<T> {
  const { config, ledger, now, newId } = operator;
  const stores = { ledger, sourceId, now, newId };
  if (!((await chooseWarehouse(config)) instanceof Function)) return work({ ...stores, client: null });
  return withWarehouse(config, (client) => work({ ...stores, client }), { isAlone: true });
}

export const importCommand = defineCommand({
  meta: {
    description:
      "Take events of a file (NDJSON or CSV, as an export makes them) into a source, each once. With the ledger in DATA_DIR only while the service is stopped. It exits 1 when some were rejected",
  },
  args: {
    file: { type: "positional", required: true, description: "The file; - for standard input" },
    source: { type: "string", required: true, valueHint: "id", description: "The source's id, src_…" },
    format: {
      type: "enum",
      options: ["ndjson", "csv"],
      description: "Default: by the file's name, else ndjson",
    },
    ...JSON_FLAG,
  },
  run: ({ args }): Promise<Report> =>
    withLedgerAlone(async (operator) => {
      const { config, ledger, now } = operator;
      const { source: sourceId } = args;
      if (!(await ledger.source({ sourceId, now }))) throw new Refusal("source_not_found");
      const parseEvent = createEventParser();
      const importing = { sourceId, now, maxEventBytes: config.MAX_EVENT_BYTES, parseEvent };
      const tell = createProgress(args.json === true);
      const records = recordsIn(args.file, args.format);
      const outcome = await withStores(operator, sourceId, (stores) =>
        importAll(records, importing, stores, tell),
      );
      return reportOf(outcome);
    }),
});
