/** `headwater serve`: the service, until it is told to stop. Logs go to standard output, words for people to standard error. */
import { defineCommand } from "citty";
import closeWithGrace from "close-with-grace";
import { buildConsole } from "../../../console/build.js";
import { type Config, ConfigError, processEnvironment, readConfig } from "../config/config.ts";
import { freePort } from "../http/listening.ts";
import type { RunningServer } from "../server.ts";
import { JSON_FLAG } from "./arguments.ts";
import { aboutLedger } from "./failure.ts";
import { welcome } from "./welcome.ts";
import { isWorker, type Started, serveByWorkers, tellStarted } from "./workers.ts";

const STOP_MS = 10_000;
/** A terminal and the npm or launcher in between each deliver the one Ctrl-C. */
const SAME_SIGNAL_MS = 1_000;

/**
 * A handler cannot mend what these are raised for: the instruction is tried again for ever, in a process that neither
 * serves nor ends. Without one the process ends, and whatever watches over it starts another.
 */
const FAULTS = ["SIGBUS", "SIGSEGV", "SIGILL", "SIGFPE", "SIGTRAP", "SIGABRT"] as const;

const say = (text: string) => void process.stderr.write(`${text}\n`);

/** What the operating system says of an address or a folder, as a sentence about the setting. */
function sentenceFor(error: unknown, config: Config): unknown {
  const { HOST, PORT } = config;
  const { code, syscall } = error as { code?: string; syscall?: string };
  if (syscall === "listen" && code === "EACCES") {
    return new ConfigError(`PORT ${PORT} may not be listened on by this user; set PORT to 1024 or more.`);
  }
  if (code === "EADDRNOTAVAIL" || syscall === "getaddrinfo") {
    return new ConfigError(`HOST ${HOST} is no address of this machine (${code}).`);
  }
  return aboutLedger(error, config);
}

async function start(config: Config, consoleFolder: string | null): Promise<RunningServer> {
  // loaded here, because no other command needs it
  const { startServer } = await import("../server.ts");
  try {
    return await startServer(config, processEnvironment(), { consoleFolder });
  } catch (error) {
    throw sentenceFor(error, config);
  }
}

/**
 * Requests under way are answered; whoever asks twice is obeyed at once. A process that is broken stops by itself,
 * with exit code 1, so that whatever watches over it starts another.
 */
function stopInTheEnd(server: RunningServer): void {
  let broken: Error | null = null;
  const closer = closeWithGrace(
    {
      delay: STOP_MS,
      logger: false,
      skip: ["SIGINT", "SIGTERM", ...FAULTS],
      onTimeout: () => say(`Not everything was answered within ${STOP_MS / 1_000} s; stopped all the same.`),
    },
    async ({ err }: { err?: Error }) => {
      if (err) say(`Stopping because of an error: ${err.stack ?? err.message}`);
      await server.close().catch((error: Error) => {
        say(`Not everything could be closed: ${error.message}`);
        throw error;
      });
      if (broken) throw broken;
    },
  );
  let toldAt: number | null = null;
  const stop = () => {
    const now = performance.now();
    if (toldAt === null) {
      toldAt = now;
      say("Stopping.");
      closer.close();
    } else if (now - toldAt > SAME_SIGNAL_MS) {
      say("Stopped at once.");
      process.exit(1);
    }
  };
  server.onBroken((cause) => {
    broken ??= cause;
    if (toldAt !== null) return;
    toldAt = performance.now();
    say(`Stopping: ${cause.message}.`);
    closer.close();
  });
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
}

export const serve = defineCommand({
  meta: { description: "Start the service; with --json it says where on one line of standard error" },
  args: JSON_FLAG,
  run: async ({ args }) => {
    const config = readConfig(processEnvironment());
    const announce = ({ url, firstStart }: Started) =>
      say(
        args.json
          ? JSON.stringify({ ok: true, url, firstStart })
          : welcome({ url, firstStart }, config.ORGANIZATION_ID),
      );
    const consoleFolder = await buildConsole(args.json ? () => undefined : say);
    if (config.WORKERS > 1 && !isWorker()) {
      // the same for all of them: one that asks for any port is given another
      const port = config.PORT || (await freePort({ host: config.HOST, port: 0 }));
      return serveByWorkers(config.WORKERS, port, announce);
    }
    const server = await start(config, consoleFolder);
    stopInTheEnd(server);
    await server.releaseMemory();
    if (isWorker()) tellStarted(server);
    else announce(server);
  },
});
