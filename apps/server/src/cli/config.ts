/** `headwater config`: every setting, what it is set to, and what it means. */
import { defineCommand } from "citty";
import { describeSettings, processEnvironment, readConfig } from "../config/config.ts";
import { JSON_FLAG } from "./arguments.ts";
import { type Report, table } from "./report.ts";

type Setting = ReturnType<typeof describeSettings>[number];

const cell = (text: string) => text.replaceAll("|", "\\|");
const code = (text: string) => (text === "" ? "" : `\`${cell(text)}\``);

/** For the README. It shows defaults only, so that it is the same on every machine. */
function markdown(settings: readonly Setting[]): string {
  const rows = settings.map(({ name, default: otherwise, help }) => [
    code(name),
    code(otherwise),
    cell(help),
  ]);
  const lines = [["setting", "default", "what it is"], ["---", "---", "---"], ...rows];
  return lines.map((line) => `| ${line.join(" | ")} |`).join("\n");
}

/** What was set is marked, because it is what a reader looks for. */
function forPeople(settings: readonly Setting[]): string {
  const rows = settings.map(({ name, value, default: otherwise, help, changed }) => [
    changed ? "*" : " ",
    name,
    value,
    otherwise,
    help,
  ]);
  return table(["", "setting", "value", "default", "what it is"], rows);
}

export const config = defineCommand({
  meta: { description: "Every setting with its value, its default and what it is" },
  args: {
    markdown: { type: "boolean", description: "Defaults only, as a table for a README" },
    ...JSON_FLAG,
  },
  run: ({ args }): Report => {
    if (args.markdown) {
      const settings = describeSettings({});
      return { json: { settings }, text: markdown(settings) };
    }
    const environment = processEnvironment();
    readConfig(environment);
    const settings = describeSettings(environment);
    const note =
      "Settings are environment variables; * marks those that are set. NAME_FILE names a file that holds the value of NAME.";
    return { json: { settings }, text: forPeople(settings), note };
  },
});
