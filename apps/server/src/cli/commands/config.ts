/** `headwater config`: every setting with its value and its meaning. */
import { describeSettings, misspeltSettings, processEnvironment, readConfig } from "../../config/config.ts";
import { defineCommand, flag } from "../command.ts";
import { table } from "../report.ts";

type DescribedSetting = ReturnType<typeof describeSettings>[number];

const escapeCell = (text: string) => text.replaceAll("|", "\\|");
const toCode = (text: string) => (text === "" ? "" : `\`${escapeCell(text)}\``);

/** The table of the README: defaults only, so it is the same on every machine. */
function renderMarkdown(settings: readonly DescribedSetting[]): string {
  const rows = settings.map(({ name, default: otherwise, help }) => [
    toCode(name),
    toCode(otherwise),
    escapeCell(help),
  ]);
  const lines = [["setting", "default", "what it is"], ["---", "---", "---"], ...rows];
  return lines.map((line) => `| ${line.join(" | ")} |`).join("\n");
}

function renderTable(settings: readonly DescribedSetting[]): string {
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
  description: "Show every setting with its value, its default and its meaning",
  options: { markdown: flag("Print a Markdown table of the defaults, as in the README") },
  run: ({ markdown }) => {
    if (markdown) {
      const settings = describeSettings({});
      return { json: { settings }, text: renderMarkdown(settings) };
    }
    const environment = processEnvironment();
    // refuses invalid settings
    readConfig(environment);
    const settings = describeSettings(environment);
    const warnings = misspeltSettings(environment);
    const usage =
      "Settings are environment variables. * marks those that the environment sets. " +
      "To read a setting from a file, set NAME_FILE instead of NAME, for example OWNER_TOKEN_FILE=/run/secrets/token.";
    return {
      json: { settings, warnings },
      text: renderTable(settings),
      note: [...warnings, usage].join("\n"),
    };
  },
});
