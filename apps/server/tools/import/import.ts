/** `headwater import`: stores the events of a file, each once, under the same rules as events from clients. */

import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { type EventCode, LIMITS } from "@headwater/contract";
import { createSourceLists } from "../../src/channels/source-lists.ts";
import { createVisitClassifier } from "../../src/channels/visit-classifier.ts";
import {
  type Command,
  type CommandContext,
  choice,
  defineCommand,
  ORGANIZATION_OPTION,
  required,
  text,
} from "../../src/cli/command.ts";
import { CommandFailed } from "../../src/cli/errors.ts";
import { findSource } from "../../src/cli/find-named.ts";
import { inWorkspace, type LedgerAccess, withLedgerAlone } from "../../src/cli/ledger-access.ts";
import type { CommandReport } from "../../src/cli/report.ts";
import { withWarehouse } from "../../src/cli/warehouse-access.ts";
import { HEADWATER } from "../../src/core/command-name.ts";
import { systemCode } from "../../src/core/errors.ts";
import { compileAddressRules } from "../../src/ingest/address-rules.ts";
import { createEventParser } from "../../src/ingest/parse.ts";
import { chooseWarehouse, refuseWarehouseElsewhere } from "../../src/open-warehouse.ts";
import { evaluateRow, type ImportedEvent, type RowContext } from "./evaluate-row.ts";
import { refuseOtherFormats } from "./file-format.ts";
import { csvRecords, type FileRecord, ndjsonRecords } from "./records.ts";
import { findWarehouseBoundary, type ImportStores, storeEvents } from "./store-events.ts";

const BATCH_EVENTS = 5_000;
const MAX_REJECTIONS_SHOWN = 100;

interface RejectedLine {
  line: number;
  code: EventCode;
  message: string;
}

interface ImportOutcome {
  accepted: number;
  duplicates: number;
  rejected: number;
  /** The first ones. */
  rejectedLines: RejectedLine[];
}

/** @param path `-`: standard input */
async function* readRecords(path: string, format: "ndjson" | "csv" | undefined): AsyncGenerator<FileRecord> {
  const bytes = path === "-" ? process.stdin : createReadStream(path);
  const chunks = Readable.from(refuseOtherFormats(bytes, path), { objectMode: false }).setEncoding("utf8");
  const isCsv = format === undefined ? path.toLowerCase().endsWith(".csv") : format === "csv";
  try {
    yield* isCsv ? csvRecords(chunks) : ndjsonRecords(chunks);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw new CommandFailed(
      code === "EISDIR" ? `${path} is a folder. Name a file in it.` : `${path} cannot be read (${code}).`,
    );
  }
}

const TOO_OLD =
  "It is older than ingest accepts, and no warehouse is configured that could store it. Set CLICKHOUSE_URL.";

interface ImportTask {
  readonly records: AsyncIterable<FileRecord>;
  readonly context: RowContext;
  readonly stores: ImportStores;
}

async function importRecords(
  { records, context, stores }: ImportTask,
  { progress }: CommandContext,
): Promise<ImportOutcome> {
  const outcome: ImportOutcome = { accepted: 0, duplicates: 0, rejected: 0, rejectedLines: [] };
  const boundary = await findWarehouseBoundary(stores);
  const reject = (rejection: RejectedLine) => {
    outcome.rejected += 1;
    if (outcome.rejectedLines.length < MAX_REJECTIONS_SHOWN) outcome.rejectedLines.push(rejection);
  };
  let batch: { line: number; event: ImportedEvent }[] = [];
  const flush = async () => {
    const events = batch.map(({ event }) => event);
    const { accepted, duplicates, tooOld } = await storeEvents(stores, events, boundary);
    outcome.accepted += accepted;
    outcome.duplicates += duplicates;
    for (const { line, event } of batch)
      if (tooOld.has(event)) reject({ line, code: "timestamp_too_old", message: TOO_OLD });
    batch = [];
  };
  for await (const { line, row, problem } of records) {
    progress(
      () =>
        `line ${line}: ${outcome.accepted} accepted, ${outcome.duplicates} duplicates, ${outcome.rejected} rejected`,
    );
    if (problem !== undefined) {
      reject({ line, code: "invalid_event", message: problem });
      continue;
    }
    const event = evaluateRow(row, context);
    if ("code" in event) reject({ line, ...event });
    else batch.push({ line, event });
    if (batch.length >= BATCH_EVENTS) await flush();
  }
  await flush();
  return outcome;
}

function reportImport(outcome: ImportOutcome): CommandReport {
  const { accepted, duplicates, rejected, rejectedLines } = outcome;
  const lines = rejectedLines.map(({ line, code, message }) => `line ${line}: ${code}: ${message}`);
  const hidden = rejected - rejectedLines.length;
  const total = `${accepted} accepted, ${duplicates} duplicates, ${rejected} rejected.`;
  const text = [...lines, ...(hidden > 0 ? [`… and ${hidden} more`] : []), total].join("\n");
  return { json: outcome, text, exitCode: rejected > 0 ? 1 : 0 };
}

async function withStores<T>(
  { config, ledger, now, newId }: LedgerAccess,
  sourceId: string,
  run: (stores: ImportStores) => Promise<T>,
): Promise<T> {
  const stores = { ledger, sourceId, now, newId };
  await refuseWarehouseElsewhere(config, ledger);
  if (!((await chooseWarehouse(config)) instanceof Function)) return run({ ...stores, client: null });
  return withWarehouse(config, (client) => run({ ...stores, client }), {
    isLocked: config.DATABASE_URL === null,
  });
}

export const importEvents: Command = defineCommand({
  description: "Import events from a file into a source, without duplicates",
  details: [
    `The file is NDJSON or CSV, as \`${HEADWATER} export\` writes it. Exits with 1 when events were rejected.`,
    "Stop the service first, unless it uses DATABASE_URL and CLICKHOUSE_URL.",
  ],
  positionals: { file: "The file to import, or - for standard input" },
  options: {
    source: required(text("id|name", "The source to import into")),
    format: choice(
      ["ndjson", "csv"],
      "The format of the file (default: by its name's extension, otherwise ndjson)",
    ),
    ...ORGANIZATION_OPTION,
  },
  run: ({ file, source, organization, format }, context) =>
    withLedgerAlone(async (access) => {
      const { config, now } = access;
      const named = await findSource(await inWorkspace(access, organization), source);
      const { sourceId } = named;
      const rowContext = {
        sourceId,
        now,
        // an exported event also has its batch's context and derived members of its page
        maxEventBytes: config.MAX_EVENT_BYTES + LIMITS.maxContextBytes + LIMITS.maxPageBytes,
        parseEvent: createEventParser(),
        addressRules: compileAddressRules(named),
        classifyVisit: createVisitClassifier(createSourceLists(config.SOURCES_FILE), named),
      };
      const records = readRecords(file, format);
      const outcome = await withStores(access, sourceId, (stores) =>
        importRecords({ records, context: rowContext, stores }, context),
      );
      return reportImport(outcome);
    }),
});
