/**
 * `headwater serve`: runs the service until it is told to stop. Logs go to standard output, messages to standard error. A
 * person at a terminal gets no JSON, unless LOG_LEVEL asks for it.
 */
import closeWithGrace from "close-with-grace";
import { buildConsole } from "../../../../console/build.js";
import { ConfigError, processEnvironment, readConfig } from "../../config/config.ts";
import type { Config } from "../../config/settings.ts";
import { HEADWATER } from "../../core/command-name.ts";
import { messageOf, systemCode } from "../../core/errors.ts";
import type { RunningServer } from "../../server.ts";
import { defineCommand } from "../command.ts";
import { explainError } from "../errors.ts";
import { explainLedgerError } from "../ledger-errors.ts";
import { renderLogLine } from "./terminal-log.ts";
import { welcome } from "./welcome.ts";

const STOP_TIMEOUT_MS = 10_000;
/** A terminal and npm each deliver the same Ctrl-C; signals within this time count as one. */
const SAME_SIGNAL_MS = 1_000;

/**
 * Signals of a crash, which are left to the system. With a handler the faulting instruction would be retried forever, in a
 * process that neither serves nor ends.
 */
const CRASH_SIGNALS = ["SIGBUS", "SIGSEGV", "SIGILL", "SIGFPE", "SIGTRAP", "SIGABRT"] as const;

const print = (text: string) => void process.stderr.write(`${text}\n`);

const isFailedCall = (error: unknown, syscall: string): boolean =>
  error instanceof Error && "syscall" in error && error.syscall === syscall;

/** Turns a failure to listen into a message that names the setting. */
function explainStartError(error: unknown, config: Config): unknown {
  const { HOST, PORT } = config;
  const code = systemCode(error);
  if (isFailedCall(error, "listen") && code === "EACCES")
    return new ConfigError(`PORT ${PORT} needs root privileges. Set PORT to 1024 or more.`);
  // the name service may answer later
  if (code === "EADDRNOTAVAIL" || (isFailedCall(error, "getaddrinfo") && code !== "EAI_AGAIN"))
    return new ConfigError(
      `HOST ${HOST} is not an address of this machine (${code}). Set HOST to 127.0.0.1, to 0.0.0.0, or to one of its addresses.`,
    );
  return explainLedgerError(error, config);
}

const terminalLog = {
  write(line: string): void {
    const text = renderLogLine(line);
    if (text !== null) print(text);
  },
};

/** @param isJson the first line is for a program, which reads the token in it */
async function start(config: Config, consoleFolder: string | null, isJson: boolean): Promise<RunningServer> {
  const { startServer } = await import("../../server.ts");
  const environment = processEnvironment();
  const isForPerson =
    process.stdout.isTTY && !isJson && !environment.LOG_LEVEL && config.ACCESS_LOG === "off";
  try {
    return await startServer(config, environment, {
      consoleFolder,
      ...(isForPerson && { logStream: terminalLog }),
      // logs would keep a printed link, and an operator who has set OWNER_TOKEN can sign in with that token
      signInLink: config.OWNER_TOKEN === null,
      // it never expires, so neither a journal nor a terminal gets it
      ownerToken: isJson,
    });
  } catch (error) {
    throw explainStartError(error, config);
  }
}

/**
 * Stops the server on SIGTERM or SIGINT after it has answered its requests; a second signal stops it at once. A server
 * that is broken stops with exit code 1, so that a process manager starts it again, or with 78 when a person has to mend it.
 */
function stopOnSignal(server: RunningServer): void {
  let brokenBy: Error | null = null;
  const closer = closeWithGrace(
    {
      delay: STOP_TIMEOUT_MS,
      logger: false,
      skip: ["SIGINT", "SIGTERM", ...CRASH_SIGNALS],
      onTimeout: () =>
        print(`Some requests were not answered within ${STOP_TIMEOUT_MS / 1_000} s; stopped anyway.`),
    },
    async ({ err }: { err?: Error }) => {
      if (err) print(`Stopping because of an error: ${err.stack ?? err.message}`);
      await server.close().catch((error: unknown) => {
        print(`The service could not be closed cleanly: ${messageOf(error)}`);
        throw error;
      });
      print("Stopped.");
      if (brokenBy) process.exit(explainError(brokenBy).exitCode);
    },
  );
  let stoppingSince: number | null = null;
  const beginStop = (message: string) => {
    stoppingSince = performance.now();
    print(message);
    closer.close();
  };
  const onSignal = () => {
    if (stoppingSince === null) {
      beginStop("Stopping.");
    } else if (performance.now() - stoppingSince > SAME_SIGNAL_MS) {
      print("Stopped without waiting for open requests.");
      process.exit(1);
    }
  };
  server.onBroken((cause) => {
    brokenBy ??= cause;
    if (stoppingSince === null)
      beginStop(`Stopping because of a failure: ${cause.message.replace(/\.$/, "")}.`);
  });
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
}

export const serve = defineCommand({
  description: "Start the service",
  details: [
    `Settings are environment variables, such as PORT=8791. \`${HEADWATER} config\` lists them.`,
    "With --json the service prints its address as one line of JSON on standard error.",
  ],
  run: async (_, { isJson }) => {
    const config = readConfig(processEnvironment());
    const consoleFolder = await buildConsole(isJson ? () => undefined : print);
    const server = await start(config, consoleFolder, isJson);
    stopOnSignal(server);
    await server.releaseMemory();
    const { url, signInUrl, firstStart } = server;
    print(
      isJson
        ? JSON.stringify({ ok: true, url, signInUrl, firstStart })
        : welcome({ url, signInUrl, firstStart }),
    );
    return null;
  },
});
