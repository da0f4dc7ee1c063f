/** `headwater export`: writes the events of a source to a file, from a running service or directly from the stores. */
import { createWriteStream, existsSync } from "node:fs";
import { Transform, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { EXPORT_FORMATS, type ExportFormat, ExportQuery } from "@headwater/contract";
import type { HeadwaterApi } from "../../../../packages/api/src/index.ts";
import {
  type Command,
  type CommandContext,
  choice,
  defineCommand,
  flag,
  ORGANIZATION_OPTION,
  parsed,
  required,
  text,
  withDefault,
} from "../../src/cli/command.ts";
import { CommandFailed, UsageError } from "../../src/cli/errors.ts";
import { findSource } from "../../src/cli/find-named.ts";
import { withWorkspace } from "../../src/cli/ledger-access.ts";
import { formatBytes } from "../../src/cli/report.ts";
import { withWarehouse } from "../../src/cli/warehouse-access.ts";
import { HEADWATER } from "../../src/core/command-name.ts";
import { messageOf } from "../../src/core/errors.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { compile } from "../../src/core/validate.ts";
import { type EventStores, readEvents, toFile } from "../../src/export/format.ts";
import { readSelection } from "../../src/export/selection.ts";
import { mayMiss } from "../../src/ledger/warehouse-report.ts";
import { chooseWarehouse, refuseWarehouseElsewhere } from "../../src/open-warehouse.ts";
import { findSourceId, parseHttpUrl, remoteApi } from "../remote-service.ts";
import { truncateToWholeLines } from "./resume.ts";

interface ExportOptions {
  readonly source: string;
  readonly organization: string | undefined;
  readonly format: ExportFormat;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly out: string | undefined;
  readonly resume: boolean;
}

/** The id of the last event in the file to resume; null: start at the beginning. */
function findCursor({ out, resume, format }: ExportOptions): string | null {
  if (!resume) {
    if (out !== undefined && existsSync(out))
      throw new CommandFailed(
        `${out} already exists. Choose another file for --out, or give --resume to continue it.`,
      );
    return null;
  }
  if (out === undefined) throw new UsageError("--resume needs --out <file>: the file to continue.");
  if (format === "parquet")
    throw new UsageError(
      "--resume does not work with Parquet, which is unreadable without its end. Start the export again.",
    );
  return existsSync(out) ? truncateToWholeLines(out, format) : null;
}

interface ExportTask {
  readonly options: ExportOptions;
  /** The id of the last event that the file has already. */
  readonly cursor: string | null;
}

function buildQuery(
  { options: { format, from, to }, cursor }: ExportTask,
  { sourceId }: { sourceId: string },
): ExportQuery {
  const query = {
    sourceId,
    format,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(cursor === null ? {} : { cursor }),
  };
  const check = compile(ExportQuery);
  if (!check(query)) throw new Refusal("invalid_payload", { issues: check.issues(query) });
  return query;
}

/** @returns the number of bytes */
type WriteBytes = (bytes: AsyncIterable<Uint8Array>) => Promise<number>;

interface WrittenExport {
  readonly bytes: number;
  /** The warehouse has lost events of the source and the range. */
  readonly isIncomplete: boolean;
}

/** Reads the warehouse, or the ledger when there is no warehouse, without a service. */
function exportFromStores(task: ExportTask, write: WriteBytes): Promise<WrittenExport> {
  const { source, organization, format } = task.options;
  const { signal } = new AbortController();
  return withWorkspace(organization, async (access) => {
    const { config, ledger } = access;
    const found = await findSource(access, source);
    const selection = readSelection(found.sourceId, buildQuery(task, found));
    await refuseWarehouseElsewhere(config, ledger);
    const read = async (client: EventStores["client"]): Promise<WrittenExport> => {
      const events = readEvents({ ledger, client }, selection, format, signal);
      const bytes = await write(toFile(events, format, task.cursor !== null));
      const { report } = await ledger.warehouseCheck();
      return { bytes, isIncomplete: client !== null && mayMiss(report, found.sourceId, selection) };
    };
    if (!((await chooseWarehouse(config)) instanceof Function)) return read(null);
    return withWarehouse(config, (client) => read(() => client));
  }).catch((error: unknown) => {
    if (!(error instanceof Error && error.constructor.name === "DataDirInUse")) throw error;
    throw new CommandFailed(
      "The embedded warehouse is in use by the running service. Give --api and --token-file, or stop the service.",
    );
  });
}

async function fetchExport(api: HeadwaterApi, task: ExportTask, write: WriteBytes): Promise<WrittenExport> {
  const sourceId = await findSourceId(api, task.options);
  const { body, headers } = await api.exportEvents({ query: buildQuery(task, { sourceId }) });
  const bytes = await write(body ?? new Blob([]).stream());
  return { bytes, isIncomplete: headers.get("headwater-incomplete") === "true" };
}

const INCOMPLETE = `The warehouse has lost events of this source and range, so the export lacks them. \`${HEADWATER} check-warehouse\` lists them.`;

async function writeToOutput(
  bytes: AsyncIterable<Uint8Array>,
  { out, resume }: ExportOptions,
  { progress }: CommandContext,
): Promise<number> {
  let written = 0;
  const count = new Transform({
    transform: (part: Buffer, _encoding, done) => {
      written += part.length;
      if (out !== undefined) progress(() => `${formatBytes(written)} written …`);
      done(null, part);
    },
  });
  const target: Writable =
    out === undefined ? process.stdout : createWriteStream(out, { flags: resume ? "a" : "wx", mode: 0o600 });
  await pipeline(bytes, count, target, { end: out !== undefined }).catch((error: unknown) => {
    if (error instanceof Refusal || written === 0 || out === undefined) throw error;
    throw new CommandFailed(
      `The export stopped after ${formatBytes(written)} (${messageOf(error)}). Run the same command with --resume to continue.`,
    );
  });
  return written;
}

export const exportEvents: Command = defineCommand({
  description: "Export a source's events as NDJSON, CSV or Parquet",
  options: {
    source: required(text("id|name", "The source whose events are exported")),
    format: withDefault(choice(EXPORT_FORMATS, "The format of the file"), "ndjson"),
    from: text("time", "The start: a day or a time, such as 2026-11-21 or 2026-11-21T12:00:00Z"),
    to: text("time", "The end, not included"),
    out: text("file", "The file to write (default: standard output)"),
    resume: flag("Continue the file in --out after an interrupted export"),
    api: parsed(
      "url",
      "Export from the running service at this address. Default: read the warehouse or the ledger directly; stop the service first if the warehouse is embedded",
      parseHttpUrl,
    ),
    "token-file": text("file", "With --api: file that holds an access token"),
    ...ORGANIZATION_OPTION,
  },
  run: async ({ api, "token-file": tokenFile, ...options }, context) => {
    const task = { options, cursor: findCursor(options) };
    const write: WriteBytes = (bytes) => writeToOutput(bytes, options, context);
    const { bytes, isIncomplete } =
      api === undefined
        ? await exportFromStores(task, write)
        : await fetchExport(remoteApi(api, tokenFile), task, write);
    const { out, format } = options;
    if (out === undefined) {
      if (isIncomplete) process.stderr.write(`${INCOMPLETE}\n`);
      return null;
    }
    return {
      json: { path: out, format, bytes, after: task.cursor, isIncomplete },
      text: `Wrote ${formatBytes(bytes)} to ${out}.`,
      ...(isIncomplete && { note: INCOMPLETE }),
    };
  },
});
