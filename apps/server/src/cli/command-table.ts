/** The table of commands. Each is loaded only when it is used, so a running service does not hold the others in memory. */
import { HEADWATER } from "../core/command-name.ts";
import type { CommandGroup } from "./command.ts";

export const headwater: CommandGroup = {
  description: "Headwater, self-hosted web analytics",
  commands: {
    serve: async () => (await import("./serve/serve.ts")).serve,
    "sign-in": async () => (await import("./commands/sign-in.ts")).signIn,
    token: async () => (await import("./commands/token.ts")).token,
    source: async () => (await import("./commands/source.ts")).source,
    member: async () => (await import("./commands/member.ts")).member,
    workspace: async () => (await import("./commands/workspace.ts")).workspace,
    doctor: async () => (await import("../../tools/doctor/doctor.ts")).doctor,
    config: async () => (await import("./commands/config.ts")).config,
    lists: async () => (await import("./commands/lists.ts")).lists,
    migrate: async () => (await import("./commands/migrate.ts")).migrate,
    "accept-clock": async () => (await import("./commands/accept-clock.ts")).acceptClock,
    backup: async () => (await import("./backup/backup.ts")).backup,
    restore: async () => (await import("./backup/restore.ts")).restore,
    move: async () => (await import("../../tools/move/move.ts")).move,
    "move-warehouse": async () =>
      (await import("../../tools/move-warehouse/move-warehouse.ts")).moveWarehouse,
    "check-warehouse": async () => (await import("./commands/check-warehouse.ts")).checkWarehouse,
    statement: async () => (await import("./commands/statement.ts")).statement,
    export: async () => (await import("../../tools/export/export.ts")).exportEvents,
    import: async () => (await import("../../tools/import/import.ts")).importEvents,
    plan: async () => (await import("../../tools/plan/plan.ts")).plan,
    mcp: async () => (await import("../../tools/mcp/mcp.ts")).mcp,
    "test-server": async () => (await import("../../tools/test-server/test-server.ts")).testServer,
    demo: async () => (await import("../../tools/seed/demo.ts")).demo,
    seed: async () => (await import("../../tools/seed/seed.ts")).seed,
  },
  note: [
    `To begin, run \`${HEADWATER} serve\`, or \`${HEADWATER} demo\` to look at the console with made-up traffic.`,
    `Run \`${HEADWATER} --version\` for the version.`,
  ],
};
