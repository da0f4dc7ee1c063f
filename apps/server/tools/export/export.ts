/** `headwater export`: a source's events as a file, from a service or straight out of its stores. */
import { createWriteStream, existsSync } from "node:fs";
import { Transform, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { EXPORT_FORMATS, type ExportFormat, ExportQuery } from "@headwater/contract";
import { defineCommand } from "citty";
import { JSON_FLAG } from "../../src/cli/arguments.ts";
import { CommandFailed, UsageError } from "../../src/cli/failure.ts";
import { createProgress } from "../../src/cli/numbers.ts";
import { withLedger } from "../../src/cli/operator.ts";
import { type Report, size } from "../../src/cli/report.ts";
import { withWarehouse } from "../../src/cli/warehouse.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { compile } from "../../src/core/validate.ts";
import { pagesOfLedger } from "../../src/export/from-ledger.ts";
import { pagesOfWarehouse } from "../../src/export/from-warehouse.ts";
import { askedOf } from "../../src/export/range.ts";
import { bytesOf } from "../../src/export/render.ts";
import { chooseWarehouse } from "../../src/open-warehouse.ts";
import { cutToWholeLines } from "./resume.ts";
import { bytesOfService } from "./service.ts";

const args = {
  source: { type: "string", required: true, valueHint: "id", description: "The source's id, src_…" },
  format: { type: "enum", options: EXPORT_FORMATS, default: "ndjson", description: "Default: ndjson" },
  from: {
    type: "string",
    valueHint: "time",
    description: "A day or a time, as 2026-11-21 or 2026-11-21T12:00:00Z",
  },
  to: { type: "string", valueHint: "time", description: "The end, itself not included" },
  out: { type: "string", valueHint: "file", description: "Where to; default: standard output" },
  resume: { type: "boolean", description: "Go on where the file of --out broke off" },
  api: {
    type: "string",
    valueHint: "url",
    description:
      "From the service that is there; without it straight from its stores, an embedded warehouse only while it is stopped",
  },
  "token-file": { type: "string", valueHint: "file", description: "With --api: a file with an access token" },
  ...JSON_FLAG,
} as const;

interface Flags {
  source: string;
  format: ExportFormat;
  from?: string | undefined;
  to?: string | undefined;
  out?: string | undefined;
  resume?: boolean | undefined;
}

/** Where an earlier try ended; null: at the beginning. */
function cursorOf({ out, resume, format }: Flags): string | null {
  if (!resume) {
    if (out !== undefined && existsSync(out))
      throw new CommandFailed(`${out} exists already; give another --out, or --resume to go on with it.`);
    return null;
  }
  if (out === undefined) throw new UsageError("--resume needs --out: the file that broke off.");
  if (format === "parquet")
    throw new UsageError(
      "--resume cannot go on with Parquet: such a file is none without its end. Begin it anew.",
    );
  return existsSync(out) ? cutToWholeLines(out, format) : null;
}

function queryOf({ source: sourceId, format, from, to }: Flags, cursor: string | null): ExportQuery {
  const given = { from, to, cursor: cursor ?? undefined };
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const query = { sourceId, format, ...known };
  const check = compile(ExportQuery);
  if (!check(query)) throw new Refusal("invalid_payload", { issues: check.issues(query) });
  return query;
}

type Work = (bytes: AsyncIterable<Uint8Array>) => Promise<number>;

/** Without a service between; the same pages. */
function straight(query: ExportQuery, work: Work): Promise<number> {
  const { sourceId, format = "ndjson" } = query;
  const asked = askedOf(sourceId, query);
  const isContinued = asked.cursor !== null;
  const { signal } = new AbortController();
  return withLedger(async ({ config, ledger, now }) => {
    if (!(await ledger.source({ sourceId, now }))) throw new Refusal("source_not_found");
    if (!((await chooseWarehouse(config)) instanceof Function))
      return work(bytesOf(pagesOfLedger(ledger, asked), format, isContinued));
    return withWarehouse(config, (client) =>
      work(
        bytesOf(
          pagesOfWarehouse(() => client, asked, signal),
          format,
          isContinued,
        ),
      ),
    );
  }).catch((error: Error) => {
    if (error.constructor.name !== "DataDirInUse") throw error;
    throw new CommandFailed("The service holds its warehouse: give --api and --token-file, or stop it.");
  });
}

/** @returns how many bytes were written */
async function write(bytes: AsyncIterable<Uint8Array>, { out, resume }: Flags): Promise<number> {
  const tell = createProgress(out === undefined);
  let written = 0;
  const count = new Transform({
    transform: (part: Buffer, _encoding, done) => {
      written += part.length;
      tell(() => `${size(written)} …`);
      done(null, part);
    },
  });
  const target: Writable =
    out === undefined ? process.stdout : createWriteStream(out, { flags: resume ? "a" : "wx" });
  await pipeline(bytes, count, target, { end: out !== undefined }).catch((error: Error) => {
    if (error instanceof Refusal || written === 0 || out === undefined) throw error;
    throw new CommandFailed(
      `It broke off after ${size(written)} (${error.message}); the same with --resume goes on from there.`,
    );
  });
  return written;
}

export const exportCommand = defineCommand({
  meta: {
    description: "A source's events as a file: NDJSON, CSV or Parquet. What broke off can be gone on with",
  },
  args,
  run: async ({ args: flags }): Promise<Report | null> => {
    const { api, out } = flags;
    const query = queryOf(flags, cursorOf(flags));
    const work: Work = (bytes) => write(bytes, flags);
    const bytes =
      api === undefined
        ? await straight(query, work)
        : await work(await bytesOfService({ api, "token-file": flags["token-file"] }, query));
    if (out === undefined) return null;
    const { format, cursor = null } = query;
    return { json: { path: out, format, bytes, after: cursor }, text: `${size(bytes)} written to ${out}.` };
  },
});
