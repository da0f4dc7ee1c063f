/** `headwater backup`: a consistent copy of the ledger and the embedded warehouse, made while a service writes to them. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { defineCommand } from "citty";
import { processEnvironment, readConfig } from "../../config/config.ts";
import { makeFolder } from "../../ledger/sqlite/database.ts";
import { JSON_FLAG } from "../arguments.ts";
import { CommandFailed } from "../failure.ts";
import { type Report, size, table } from "../report.ts";
import { type Copied, draft, filesOf, finish, flush } from "./ledger-copy.ts";
import { copyWarehouse, hasWarehouse, WAREHOUSE } from "./warehouse-copy.ts";

const OF_POSTGRES =
  "The ledger is in the database of DATABASE_URL, which is backed up with PostgreSQL's own tools while the service runs: " +
  '`pg_dump --format=custom --file=headwater.dump "$DATABASE_URL"`, or a base backup with archived WAL for a restore ' +
  "to any moment (see docs/operate.md).";
const OF_CLICKHOUSE =
  " The warehouse of CLICKHOUSE_URL is not in it: back it up with ClickHouse's own tools, after the ledger.";

function makeTarget(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailed(`--to ${folder} is no folder and none can be made there (${code}).`);
  }
}

const row = ({ path, bytes, counts }: Copied) => [
  path,
  size(bytes),
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", "),
];

/** What the two commands tell. */
export const reportOf = (copied: readonly Copied[], note: string): Report => ({
  json: { files: copied },
  text: table(["file", "size", "holds"], copied.map(row)),
  note,
});

export const backup = defineCommand({
  meta: {
    description:
      "Copy the ledger, the debug history and the embedded warehouse to a folder, while the service runs",
  },
  args: {
    to: {
      type: "string",
      valueHint: "folder",
      required: true,
      description: "Where to; it is made when missing",
    },
    ...JSON_FLAG,
  },
  run: async ({ args }): Promise<Report> => {
    const config = readConfig(processEnvironment());
    const { DATA_DIR: dataDir, DATABASE_URL: url, CLICKHOUSE_URL } = config;
    if (url !== null) throw new CommandFailed(OF_POSTGRES);
    const target = resolve(args.to);
    const files = filesOf(dataDir, "DATA_DIR");
    const taken = [...files, WAREHOUSE].find((file) => existsSync(join(target, file)));
    if (taken !== undefined)
      throw new CommandFailed(
        `${join(target, taken)} exists already; give --to a folder that holds no backup.`,
      );
    makeTarget(target);
    // the ledger first: what leaves it meanwhile is in the warehouse then, and what both hold is stored once
    for (const file of files) draft(file, dataDir, target);
    const warehouse = hasWarehouse(config) ? [await copyWarehouse(config, target)] : [];
    // the ledger's file last: a folder without one is no backup
    const copied = files.toReversed().map((file) => finish(file, target));
    flush(target);
    const note = `To restore: \`headwater restore --from ${target}\`, with DATA_DIR set to a folder that is empty.`;
    return reportOf(
      [...copied.toReversed(), ...warehouse],
      note + (CLICKHOUSE_URL === null ? "" : OF_CLICKHOUSE),
    );
  },
});
