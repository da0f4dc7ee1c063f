/** Runs a command line: finds its command, prints the result and sets the exit code. */
import { describeBuild, readBuild } from "../config/build-info.ts";
import { processEnvironment } from "../config/config.ts";
import { HEADWATER } from "../core/command-name.ts";
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
  return runNode(await findNode({ node: headwater, name: HEADWATER, rest }), isJson);
}

interface CommandOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the command threw: it may have left threads behind. */
  readonly hasFailed: boolean;
}

function renderReport({ json, text, note, exitCode = 0 }: CommandReport, isJson: boolean): CommandOutcome {
  return {
    exitCode,
    stdout: `${isJson ? JSON.stringify(json, null, 2) : text.trimEnd()}\n`,
    stderr: note !== undefined && !isJson ? `\n${note}\n` : "",
    hasFailed: false,
  };
}

/** The stack is shown with LOG_LEVEL=debug only. */
function renderError(error: unknown, isJson: boolean): CommandOutcome {
  const { exitCode, message } = explainError(error);
  const lines = [isJson ? JSON.stringify({ ok: false, message }) : message];
  if (processEnvironment().LOG_LEVEL === "debug")
    lines.push(error instanceof Error ? `${error.stack}` : String(error));
  return { exitCode, stdout: "", stderr: `${lines.join("\n")}\n`, hasFailed: true };
}

/** @returns null for a command that prints its own output */
export async function execute(raw: readonly string[]): Promise<CommandOutcome | null> {
  const isJson = raw.includes("--json");
  try {
    const report = await runWords(raw, isJson);
    return report && renderReport(report, isJson);
  } catch (error) {
    return renderError(error, isJson);
  }
}

/** Ends the process when the command fails. Otherwise the process ends when nothing is left to do. */
export async function runCommandLine(raw: readonly string[]): Promise<void> {
  // a reader such as `head` may close the pipe early, which is not a failure
  process.stdout.on("error", (error) => process.exit(systemCode(error) === "EPIPE" ? 0 : 1));
  const outcome = await execute(raw);
  if (outcome === null) return;
  process.stdout.write(outcome.stdout);
  process.stderr.write(outcome.stderr);
  if (outcome.hasFailed) process.exit(outcome.exitCode);
  if (outcome.exitCode !== 0) process.exitCode = outcome.exitCode;
}
