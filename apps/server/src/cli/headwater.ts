/** The tree of commands. */
import { readFileSync } from "node:fs";
import type { CommandDef } from "citty";
import { doctor } from "../../tools/doctor/doctor.ts";
import { move } from "../../tools/move/move.ts";
import { config } from "./config.ts";
import { member } from "./member.ts";
import { migrate } from "./migrate.ts";
import { serve } from "./serve.ts";
import { source } from "./source.ts";
import { token } from "./token.ts";
import { workspace } from "./workspace.ts";

const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");

export const VERSION = (JSON.parse(manifest) as { version: string }).version;

export const headwater: CommandDef = {
  meta: { name: "headwater", version: VERSION, description: "Self-hosted web analytics" },
  args: {
    help: { type: "boolean", alias: "h", description: "Show what a command takes" },
    json: { type: "boolean", description: "Answer in JSON" },
    version: { type: "boolean", alias: "v", description: "Show the version" },
  },
  subCommands: {
    serve,
    token,
    source,
    member,
    workspace,
    doctor,
    config,
    migrate,
    move,
    // a service that runs for long does without what these need
    backup: async () => (await import("./backup/backup.ts")).backup,
    restore: async () => (await import("./backup/restore.ts")).restore,
    "move-warehouse": async () =>
      (await import("../../tools/move-warehouse/move-warehouse.ts")).moveWarehouse,
    seed: async () => (await import("../../tools/seed/seed.ts")).seed,
    export: async () => (await import("../../tools/export/export.ts")).exportCommand,
    import: async () => (await import("../../tools/import/import.ts")).importCommand,
  },
};
