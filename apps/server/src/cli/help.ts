/** The text of `--help`. */
import { type Command, type CommandGroup, type CommandNode, JSON_OPTION } from "./command.ts";

const HELP_LINE = ["--help, -h", "Show this help"] as const;

type HelpLine = readonly [name: string, description: string];

const MAX_COLUMNS = 100;
/** A longer name has a line of its own, so that it does not narrow all descriptions. */
const MAX_NAME_COLUMNS = 40;

/** Breaks a text into lines of at most this many characters, between words. */
function wrap(text: string, maxLength: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    const extended = `${line} ${word}`;
    if (line === undefined || extended.length > maxLength) lines.push(word);
    else lines[lines.length - 1] = extended;
  }
  return lines;
}

/** Two columns: names, and descriptions that are wrapped. */
function section(title: string, entries: readonly HelpLine[]): string[] {
  if (entries.length === 0) return [];
  const lengths = entries.map(([name]) => name.length).filter((length) => length <= MAX_NAME_COLUMNS);
  const width = Math.max(0, ...lengths);
  const lines = entries.flatMap(([name, description]) => {
    const isLong = name.length > width;
    const described = wrap(description, MAX_COLUMNS - width - 4).map(
      (line, index) => `  ${(index === 0 && !isLong ? name : "").padEnd(width)}  ${line}`,
    );
    return isLong ? [`  ${name}`, ...described] : described;
  });
  return ["", title, ...lines];
}

function commandHelp(name: string, command: Command): string {
  const { description, details = [], positionals = {}, options } = command;
  const places = Object.keys(positionals).map((place) => ` <${place}>`);
  const optionLines = Object.entries({ ...options, ...JSON_OPTION }).map(
    ([option, { valueName, description: meaning }]): HelpLine => [
      valueName === null ? `--${option}` : `--${option} <${valueName}>`,
      meaning,
    ],
  );
  const argumentLines = Object.entries(positionals).map(
    ([place, meaning]): HelpLine => [`<${place}>`, meaning],
  );
  return [
    `${description}.`,
    ...details.flatMap((sentence) => wrap(sentence, MAX_COLUMNS)),
    "",
    `Usage: ${name}${places.join("")} [options]`,
    ...section("Arguments:", argumentLines),
    ...section("Options:", [...optionLines, HELP_LINE]),
  ].join("\n");
}

async function groupHelp(name: string, { description, commands, note = [] }: CommandGroup): Promise<string> {
  const entries = Object.entries(commands).map(async ([word, node]): Promise<HelpLine> => {
    const { description: meaning } = await loadNode(node);
    return [word, meaning];
  });
  return [
    `${description}.`,
    "",
    `Usage: ${name} <command> [options]`,
    ...section("Commands:", await Promise.all(entries)),
    "",
    `Run \`${name} <command> --help\` for a command's options.`,
    ...note,
  ].join("\n");
}

export const loadNode = async (node: CommandNode | (() => Promise<CommandNode>)): Promise<CommandNode> =>
  node instanceof Function ? node() : node;

/** @param name the command as it is typed, `headwater token create` */
export const renderHelp = async (name: string, node: CommandNode): Promise<string> =>
  "commands" in node ? groupHelp(name, node) : commandHelp(name, node);
