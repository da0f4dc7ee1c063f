/** Runs a command line: finds its command, prints the result and sets the exit code. */
import { describeBuild, readBuild } from "../config/build-info.ts";
import { processEnvironment } from "../config/config.ts";
import { systemCode } from "../core/errors.ts";
import { readArguments } from "./arguments.ts";
import type { CommandNode } from "./command.ts";
import { headwater } from "./command-table.ts";
import { explainError, UsageError } from "./errors.ts";
import { loadNode, renderHelp } from "./help.ts";
import { type CommandReport, createProgress } from "./report.ts";

const HELP: ReadonlySet<string | undefined> = new Set(["--help", "-h"]);
const VERSION: ReadonlySet<string | undefined> = new Set(["--version", "-v"]);

interface FoundNode {
  readonly node: CommandNode;
  /** As it is typed: `headwater token create`. */
  readonly name: string;
  /** The arguments after the name. */
  readonly rest: readonly string[];
}

/** Follows the words down the tree of commands as far as they name one. */
async function findNode({ node, name, rest }: FoundNode): Promise<FoundNode> {
  const [word, ...further] = rest;
  if (!("commands" in node) || HELP.has(word)) return { node, name, rest };
  const child = word !== undefined && Object.hasOwn(node.commands, word) ? node.commands[word] : undefined;
  if (child) return findNode({ node: await loadNode(child), name: `${name} ${word}`, rest: further });
  const problem = word === undefined ? "Missing command" : `Unknown command ${JSON.stringify(word)}`;
  const names = Object.keys(node.commands).join(", ");
  throw new UsageError(`${problem}. Available commands: ${names}. Run \`${name} --help\` for details.`);
}

async function runNode({ node, name, rest }: FoundNode, isJson: boolean): Promise<CommandReport | null> {
  if ("commands" in node || rest.some((word) => HELP.has(word))) {
    const help = await renderHelp(name, node);
    return { json: { help }, text: help };
  }
  try {
    const context = { isJson, progress: createProgress(isJson) };
    return await node.run(readArguments(rest, node), context);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message} Run \`${name} --help\` for usage.`, { cause: error });
  }
}

async function runWords(raw: readonly string[], isJson: boolean): Promise<CommandReport | null> {
  const [first, ...further] = raw;
  if (VERSION.has(first)) {
    const build = await readBuild();
    return { json: { ...build }, text: describeBuild(build) };
  }
  // `help token create` is `token create --help`
  const rest = first === "help" ? [...further.filter((word) => word !== "--json"), "--help"] : raw;
  return runNode(await findNode({ node: headwater, name: "headwater", rest }), isJson);
}

function print({ json, text, note }: CommandReport, isJson: boolean): void {
  process.stdout.write(`${isJson ? JSON.stringify(json, null, 2) : text.trimEnd()}\n`);
  if (note !== undefined && !isJson) process.stderr.write(`\n${note}\n`);
}

/** The stack is printed with LOG_LEVEL=debug only. */
function printError(error: unknown, message: string, isJson: boolean): void {
  process.stderr.write(`${isJson ? JSON.stringify({ ok: false, message }) : message}\n`);
  if (processEnvironment().LOG_LEVEL !== "debug") return;
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
}

/** Ends the process when the command fails. Otherwise the process ends when nothing is left to do. */
export async function runCommandLine(raw: readonly string[]): Promise<void> {
  const isJson = raw.includes("--json");
  // a reader such as `head` may close the pipe early, which is no failure
  process.stdout.on("error", (error) => process.exit(systemCode(error) === "EPIPE" ? 0 : 1));
  try {
    const report = await runWords(raw, isJson);
    if (report) print(report, isJson);
    if (report?.exitCode !== undefined) process.exitCode = report.exitCode;
  } catch (error) {
    const { exitCode, message } = explainError(error);
    printError(error, message, isJson);
    // a failed start leaves threads behind that would keep the process alive
    process.exit(exitCode);
  }
}
