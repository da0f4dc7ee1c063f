/** `headwater lists`: the lists that decide about traffic sources, bots, devices and places, each with its version. */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { list as botPatterns } from "isbot";
import { createSourceLists } from "../../channels/source-lists.ts";
import { readVersion } from "../../config/build-info.ts";
import { describeSettings, processEnvironment, readConfig } from "../../config/config.ts";
import type { SettingName } from "../../config/settings.ts";
import { defineCommand } from "../command.ts";
import { table } from "../report.ts";

interface DescribedList {
  readonly list: string;
  /** A package, a file of the operator, or `headwater` for a list of this program. */
  readonly from: string;
  readonly version: string | null;
  /** ISO 8601: when the operator's file was changed last. */
  readonly date: string | null;
  /** null: not known. */
  readonly entries: number | null;
  /** The setting that names a file in its place or beside it. null: none. */
  readonly override: SettingName | null;
}

const require = createRequire(import.meta.url);
const versionOf = (name: string): string => {
  const { version }: { version: string } = require(`${name}/package.json`);
  return version;
};

/** A file of the operator. Its version is the beginning of its SHA-256. */
function describeFile(list: string, path: string, override: SettingName): DescribedList {
  const content = readFileSync(path);
  const isText = !path.endsWith(".mmdb");
  const lines = isText ? content.toString("utf8").split("\n") : [];
  const entries = lines.filter((line) => line.replace(/#.*/, "").trim() !== "").length;
  return {
    list,
    from: path,
    version: createHash("sha256").update(content).digest("hex").slice(0, 12),
    date: statSync(path).mtime.toISOString(),
    entries: isText ? entries : null,
    override,
  };
}

const PLACES = "@ip-location-db/geo-whois-asn-country-mmdb";

function describeLists(): DescribedList[] {
  const environment = processEnvironment();
  const config = readConfig(environment);
  const settings = new Map(describeSettings(environment).map(({ name, value }) => [name, value]));
  const none = { version: null, date: null, entries: 0 };
  const optional = (list: string, override: SettingName) => {
    const path = settings.get(override);
    return path ? describeFile(list, path, override) : { list, from: "none", ...none, override };
  };
  const sources = createSourceLists(config.SOURCES_FILE)
    .versions()
    .map(({ name, version, entries }): DescribedList => {
      const isSuffixes = name.startsWith("tldts");
      return {
        list: isSuffixes ? "public suffixes" : "sources",
        from: name,
        version,
        date: name === config.SOURCES_FILE ? statSync(name).mtime.toISOString() : null,
        entries,
        override: isSuffixes ? null : "SOURCES_FILE",
      };
    });
  const builtIn = { date: null, entries: null, override: null };
  return [
    ...sources,
    { ...builtIn, list: "bots", from: "isbot", version: versionOf("isbot"), entries: botPatterns.length },
    { ...builtIn, list: "devices", from: "headwater", version: readVersion() },
    optional("data centres", "DATA_CENTRES_FILE"),
    optional("referrer spam", "REFERRER_SPAM_FILE"),
    config.GEOIP_FILE === null
      ? { ...builtIn, list: "places", from: PLACES, version: versionOf(PLACES), override: "GEOIP_FILE" }
      : optional("places", "GEOIP_FILE"),
  ];
}

export const lists = defineCommand({
  description: "Show the lists that identify traffic sources, bots, devices and places, with their versions",
  run: () => {
    const described = describeLists();
    const rows = described.map((one) => [
      one.list,
      one.from,
      one.version,
      one.date,
      one.entries,
      one.override,
    ]);
    return {
      json: { lists: described },
      text: table(["list", "from", "version", "date", "entries", "setting"], rows),
      note: "Each setting takes the path to your own file. If several source lists have a host, the first one counts.",
    };
  },
});
