/** `headwater test-server`: the service for the tests of an application, with the plan of its repository and nothing stored. */
import { existsSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { join } from "node:path";
import { type Command, defineCommand, text, wholeNumber, withDefault } from "../../src/cli/command.ts";
import { CommandFailed } from "../../src/cli/errors.ts";
import { systemCode } from "../../src/core/errors.ts";
import { type PlanFolder, readPlanFolder } from "../plan/plan-folder.ts";
import { startTestServer } from "./start.ts";

/** `@headwater/sdk/testing` expects it there. */
const DEFAULT_PORT = 8799;
const DEFAULT_FOLDER = "tracking-plan";
/** Ctrl-C, a test runner, and a terminal that is closed. */
const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Without `--plan`, the folder of `headwater plan` is used if it is there. */
function readPlan(folder: string | undefined): PlanFolder | null {
  const isThere = folder !== undefined || existsSync(join(DEFAULT_FOLDER, "plan.json"));
  return isThere ? readPlanFolder(folder ?? DEFAULT_FOLDER) : null;
}

function explainStart(error: unknown, port: number): unknown {
  if (systemCode(error) === "EADDRINUSE")
    return new CommandFailed(
      `Port ${port} is in use. Give another one with --port, or --port 0 for any free one.`,
    );
  if (systemCode(error) === "EACCES")
    return new CommandFailed(`Port ${port} needs root privileges. Give 1024 or more with --port.`);
  return error;
}

/** Resolves when the command is told to end. The handlers stay: npx repeats the signal. */
function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of END_SIGNALS) process.on(name, () => resolve());
  });
}

const describePlan = (plan: PlanFolder | null) =>
  plan === null ? "without a tracking plan" : `with the plan of ${plan.index.path}`;

export const testServer: Command = defineCommand({
  description: "Start a service for an application's tests",
  details: [
    "It checks events against the plan in the repository, rejects what violates it, and shows what it received: GET /events, GET /rejected, and DELETE / to forget both. It accepts any public key, origin and token, and stores nothing.",
  ],
  options: {
    port: withDefault(
      wholeNumber("The port on 127.0.0.1; 0 for any free one", { min: 0, max: 65_535 }),
      DEFAULT_PORT,
    ),
    plan: text("folder", `The plan's folder (default: ${DEFAULT_FOLDER}, if it exists)`),
  },
  run: async ({ port, plan: folder }, { isJson }) => {
    const plan = readPlan(folder);
    const signal = waitForSignal();
    const server = await startTestServer(port, plan).catch((error: unknown) => {
      throw explainStart(error, port);
    });
    const { url } = server;
    const line = isJson
      ? JSON.stringify({ ok: true, url, plan: plan?.index.path ?? null })
      : `Headwater's test server listens on ${url}, ${describePlan(plan)}.`;
    process.stdout.write(`${line}\n`);
    // test runners often kill a server, and the next start would compile again
    flushCompileCache();
    await signal;
    await server.close();
    return null;
  },
});
