/** Reads what was typed after the name of a command, and refuses what the command does not take. */
import { parseArgs } from "node:util";
import { type Command, JSON_OPTION, type OptionTable } from "./command.ts";
import { UsageError } from "./errors.ts";

function tokenize(raw: readonly string[], options: OptionTable) {
  const types = Object.entries(options).map(([name, { valueName }]) => {
    const type: "boolean" | "string" = valueName === null ? "boolean" : "string";
    return [name, { type }] as const;
  });
  const { tokens } = parseArgs({
    args: [...raw],
    options: Object.fromEntries(types),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return tokens;
}
type OptionToken = Extract<ReturnType<typeof tokenize>[number], { kind: "option" }>;

/** @throws UsageError */
function checkOption({ name, rawName, value, inlineValue }: OptionToken, options: OptionTable): void {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option === undefined) throw new UsageError(`Unknown option ${rawName}.`);
  if (option.valueName === null) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`);
  } else if (value === undefined || value === "") {
    throw new UsageError(`${rawName} needs a value.`);
  } else if (!inlineValue && value.startsWith("-")) {
    throw new UsageError(
      `${rawName} needs a value. To give one that starts with a dash, type ${rawName}=${value}.`,
    );
  }
}

/** @throws UsageError */
function checkPositionals(words: readonly string[], names: readonly string[]): void {
  const missing = names[words.length];
  if (missing !== undefined) throw new UsageError(`Missing argument <${missing}>.`);
  const extra = words[names.length];
  if (extra !== undefined) throw new UsageError(`Unexpected argument ${JSON.stringify(extra)}.`);
}

/** @returns the values of the arguments and options by their names. @throws UsageError */
export function readArguments(raw: readonly string[], command: Command): Readonly<Record<string, unknown>> {
  const options: OptionTable = { ...command.options, ...JSON_OPTION };
  const names = Object.keys(command.positionals ?? {});
  const texts = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokenize(raw, options)) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    checkOption(token, options);
    const given = texts.get(token.name);
    if (given && !options[token.name]?.isRepeatable)
      throw new UsageError(`${token.rawName} was given more than once.`);
    texts.set(token.name, [...(given ?? []), token.value ?? ""]);
  }
  checkPositionals(positionals, names);
  return Object.fromEntries([
    ...names.map((name, index) => [name, positionals[index]]),
    ...Object.entries(options).map(([name, option]) => [
      name,
      option.parse(texts.get(name) ?? [], `--${name}`),
    ]),
  ]);
}
