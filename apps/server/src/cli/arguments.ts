/** Holds the words of a command line against what its command takes: the parser behind citty lets everything pass. */
import { parseArgs } from "node:util";
import type { ArgDef, ArgsDef } from "citty";
import { UsageError } from "./failure.ts";

/** Every command has it. */
export const JSON_FLAG = { json: { type: "boolean", description: "Answer in JSON" } } as const;
/** Commands about one workspace have it. */
export const ORGANIZATION_FLAG = {
  organization: {
    type: "string",
    valueHint: "id",
    description: "The workspace; default: ORGANIZATION_ID",
  },
} as const;

/** Flags that may be given more than once. */
const REPEATABLE: ReadonlySet<string> = new Set(["origin", "goal", "exclude-path"]);

const isFlag = (arg: ArgDef | undefined): arg is ArgDef => arg !== undefined && arg.type !== "positional";

/** Flags with their values, and words that stand alone, in order. */
function tokensOf(raw: readonly string[], args: ArgsDef) {
  const flags = Object.entries(args).filter(([, arg]) => isFlag(arg));
  const options = Object.fromEntries(
    flags.map(([name, { type }]) => [name, { type: type === "boolean" ? type : ("string" as const) }]),
  );
  return parseArgs({ args: [...raw], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}
type Token = ReturnType<typeof tokensOf>[number];
type Flag = Extract<Token, { kind: "option" }>;

/** Every value of a flag that may be repeated. */
export const valuesOf = (raw: readonly string[], args: ArgsDef, name: string): string[] =>
  tokensOf(raw, args).flatMap((token) =>
    token.kind === "option" && token.name === name && token.value !== undefined ? [token.value] : [],
  );

function flagProblem({ rawName, value, inlineValue }: Flag, arg: ArgDef | undefined): string | null {
  if (!isFlag(arg)) return `${rawName} is not known here`;
  if (arg.type === "boolean") return value === undefined ? null : `${rawName} takes no value`;
  if (value === undefined || value === "") return `${rawName} needs a value`;
  if (!inlineValue && value.startsWith("-")) {
    return `${rawName} needs a value (one that starts with - is written ${rawName}=${value})`;
  }
  const options = arg.type === "enum" ? (arg.options ?? []) : [value];
  return options.includes(value) ? null : `${rawName} must be one of ${options.join(", ")}`;
}

function repetition(flags: readonly Flag[]): string | null {
  const again = flags.find(
    ({ name }, at) => !REPEATABLE.has(name) && flags.findIndex((one) => one.name === name) < at,
  );
  return again ? `${again.rawName} is given more than once` : null;
}

function absence(flags: readonly Flag[], words: readonly string[], args: ArgsDef): string | null {
  const given = new Set(flags.map(({ name }) => name));
  const places = Object.keys(args).filter((name) => args[name]?.type === "positional");
  const missing = Object.entries(args).find(([name, arg]) => isFlag(arg) && arg.required && !given.has(name));
  const place = places[words.length];
  const extra = words[places.length];
  if (missing) return `--${missing[0]} is missing`;
  if (place !== undefined) return `${place.toUpperCase()} is missing`;
  return extra === undefined ? null : `${JSON.stringify(extra)} is one word too many`;
}

/** @throws UsageError with a sentence that names the flag */
export function checkArguments(command: string, raw: readonly string[], args: ArgsDef): void {
  const tokens = tokensOf(raw, args);
  const flags = tokens.filter((token) => token.kind === "option");
  const words = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
  const wrong = flags.map((flag) => flagProblem(flag, args[flag.name])).find((problem) => problem !== null);
  const problem = wrong ?? repetition(flags) ?? absence(flags, words, args);
  if (problem !== null) throw new UsageError(`${problem}; \`${command} --help\` shows what it takes.`);
}
