/** From the words of a command line to its command, its answer and its exit code. */
import { stripVTControlCharacters } from "node:util";
import { type CommandDef, renderUsage, runCommand } from "citty";
import { processEnvironment } from "../config/config.ts";
import { checkArguments } from "./arguments.ts";
import { explain, UsageError } from "./failure.ts";
import { headwater, VERSION } from "./headwater.ts";
import type { Report } from "./report.ts";

const HELP: ReadonlySet<string | undefined> = new Set(["--help", "-h"]);
const VERSION_FLAGS: ReadonlySet<string | undefined> = new Set(["--version", "-v"]);

interface Found {
  command: CommandDef;
  /** As it is typed: `headwater token create`. */
  name: string;
  rest: string[];
}

const resolved = async <T>(value: T | Promise<T> | (() => T | Promise<T>)): Promise<T> =>
  value instanceof Function ? value() : value;

/** Follows the words down the tree as far as they name commands. */
async function findCommand({ command, name, rest }: Found): Promise<Found> {
  const children = command.subCommands && (await resolved(command.subCommands));
  const [word, ...further] = rest;
  if (!children || HELP.has(word)) return { command, name, rest };
  const child = word !== undefined && Object.hasOwn(children, word) ? children[word] : undefined;
  if (child) return findCommand({ command: await resolved(child), name: `${name} ${word}`, rest: further });
  const problem = word === undefined ? `\`${name}\` needs a command` : `\`${name} ${word}\` is no command`;
  const known = Object.keys(children).join(", ");
  throw new UsageError(`${problem}; there are ${known}. \`${name} --help\` says what each does.`);
}

async function helpOf({ command, name }: Found): Promise<string> {
  const meta = await resolved(command.meta ?? {});
  const usage = await renderUsage({ ...command, meta: { ...meta, name } });
  return stripVTControlCharacters(usage).replace(/ +$/gm, "");
}

async function answer(raw: string[]): Promise<Report | null> {
  if (VERSION_FLAGS.has(raw[0])) return { json: { version: VERSION }, text: VERSION };
  const found = await findCommand({ command: headwater, name: "headwater", rest: raw });
  if (found.rest.some((word) => HELP.has(word))) {
    const help = await helpOf(found);
    return { json: { help }, text: help };
  }
  checkArguments(found.name, found.rest, await resolved(found.command.args ?? {}));
  const { result } = await runCommand(found.command, { rawArgs: found.rest });
  return (result as Report | undefined) ?? null;
}

function print({ json, text, note }: Report, asJson: boolean): void {
  process.stdout.write(`${asJson ? JSON.stringify(json, null, 2) : text.trimEnd()}\n`);
  if (note !== undefined && !asJson) process.stderr.write(`\n${note}\n`);
}

/** A stack is for whoever looks for a bug, and asked for it. */
function printFailure(error: unknown, message: string, asJson: boolean): void {
  process.stderr.write(`${asJson ? JSON.stringify({ ok: false, message }) : message}\n`);
  if (processEnvironment().LOG_LEVEL !== "debug") return;
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
}

/** Ends the process with an exit code when the command fails; otherwise the process ends when nothing is left to do. */
export async function runCommandLine(raw: string[]): Promise<void> {
  const asJson = raw.includes("--json");
  // whoever reads the output may stop early, as `head` does
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => process.exit(code === "EPIPE" ? 0 : 1));
  try {
    const report = await answer(raw);
    if (report) print(report, asJson);
    if (report?.exitCode !== undefined) process.exitCode = report.exitCode;
  } catch (error) {
    const { exitCode, message } = explain(error);
    printFailure(error, message, asJson);
    // a start that failed half-way leaves threads behind that would keep the process alive
    process.exit(exitCode);
  }
}
