/** How a command is declared: its arguments, its options, and the function that runs it. */
import { UsageError } from "./errors.ts";
import type { CommandReport, ProgressWriter } from "./report.ts";

/** An option such as `--name <text>`: how the help shows it, and how its text becomes a value. */
interface CommandOption<Value> {
  readonly description: string;
  /** Stands for the value in the help; null: the option takes no value. */
  readonly valueName: string | null;
  readonly isRepeatable: boolean;
  /**
   * @param texts what was given for the option, in order; empty when it was not given
   * @param name the option as it is typed, `--name`
   * @throws UsageError
   */
  parse(texts: readonly string[], name: string): Value;
}

/** An option without a value; false when it is not given. */
export const flag = (description: string): CommandOption<boolean> => ({
  description,
  valueName: null,
  isRepeatable: false,
  parse: (texts) => texts.length > 0,
});

/** An option whose text is parsed by the given function; undefined when it is not given. */
export const parsed = <Value>(
  valueName: string,
  description: string,
  parse: (text: string, name: string) => Value,
): CommandOption<Value | undefined> => ({
  description,
  valueName,
  isRepeatable: false,
  parse: ([given], name) => (given === undefined ? undefined : parse(given, name)),
});

export const text = (valueName: string, description: string): CommandOption<string | undefined> =>
  parsed(valueName, description, (given) => given);

/** One of the given words. */
export const choice = <const Word extends string>(
  words: readonly Word[],
  description: string,
): CommandOption<Word | undefined> =>
  parsed(words.join("|"), description, (given, name) => {
    const word = words.find((one) => one === given);
    if (word !== undefined) return word;
    throw new UsageError(`${name} must be one of ${words.join(", ")}, not ${JSON.stringify(given)}.`);
  });

export const onOff = (description: string): CommandOption<boolean | undefined> => {
  const option = choice(["on", "off"], description);
  return {
    ...option,
    parse: (texts, name) => {
      const word = option.parse(texts, name);
      return word === undefined ? undefined : word === "on";
    },
  };
};

/** @param min inclusive, as is `max` */
export const wholeNumber = (
  description: string,
  { min, max }: { min: number; max: number },
): CommandOption<number | undefined> =>
  parsed("n", description, (given, name) => {
    const value = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new UsageError(
      `${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(given)}.`,
    );
  });

/** An option that may be repeated; empty when it is not given. */
export const list = (valueName: string, description: string): CommandOption<readonly string[]> => ({
  description: `${description} (repeatable)`,
  valueName,
  isRepeatable: true,
  parse: (texts) => texts,
});

export const required = <Value>(option: CommandOption<Value | undefined>): CommandOption<Value> => ({
  ...option,
  description: `${option.description} (required)`,
  parse: (texts, name) => {
    const value = option.parse(texts, name);
    if (value === undefined) throw new UsageError(`Missing option ${name} <${option.valueName}>.`);
    return value;
  },
});

export const withDefault = <Value extends string | number>(
  option: CommandOption<Value | undefined>,
  value: Value,
): CommandOption<Value> => ({
  ...option,
  description: `${option.description} (default: ${value})`,
  parse: (texts, name) => option.parse(texts, name) ?? value,
});

/** An option of every command. */
export const JSON_OPTION = { json: flag("Print the result as JSON") };

/** An option of every command for one workspace. */
export const ORGANIZATION_OPTION = {
  organization: text("id|name", "The workspace (default: the ORGANIZATION_ID setting)"),
};

/** The positional argument of commands for one source. */
export const SOURCE = { source: "The source's id, name or slug" };

export type OptionTable = Readonly<Record<string, CommandOption<unknown>>>;
export type OptionValues<Options> = {
  readonly [Name in keyof Options]: Options[Name] extends CommandOption<infer Value> ? Value : never;
};

export interface CommandContext {
  /** Whether --json was given. */
  readonly isJson: boolean;
  /** Shows how far the command has come; does nothing with --json. */
  readonly progress: ProgressWriter;
}

export interface CommandGroup {
  readonly description: string;
  /** A function loads its command when it is needed. */
  readonly commands: Readonly<Record<string, CommandNode | (() => Promise<CommandNode>)>>;
  /** Lines at the end of the help. */
  readonly note?: readonly string[];
}
export type CommandNode = Command | CommandGroup;

interface CommandDefinition<
  Name extends string,
  Options extends OptionTable,
  Values = OptionValues<Options> & Readonly<Record<Name, string>>,
> {
  /** One short line without a full stop: it is shown in the list of commands. */
  readonly description: string;
  /** Further sentences for the command's own help. */
  readonly details?: readonly string[];
  /** The description of each positional argument, in their order; every one is required. */
  readonly positionals?: Readonly<Record<Name, string>>;
  readonly options?: Options;
  /** @returns null when the command prints its own output */
  run(values: Values, context: CommandContext): Promise<CommandReport | null> | CommandReport | null;
}

/** A command, whatever its arguments are. `readArguments` makes the values that its own tables describe. */
export type Command = CommandDefinition<string, OptionTable, Readonly<Record<string, unknown>>>;

/** Every command also takes --json and --help. */
export const defineCommand = <
  Name extends string = never,
  // biome-ignore lint/complexity/noBannedTypes: a command without options has no members
  Options extends OptionTable = {},
>(
  definition: CommandDefinition<Name, Options>,
): Command => definition;
