/** What an instance of deploy/systemd/headwater@.service starts, without systemd. */
import { fileURLToPath } from "node:url";
import { deployFile } from "./front.ts";
import { underFilter, withoutFilter } from "./unit-filter.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));

/** Lines `name=value` of a unit or of its file with variables. */
const valuesOf = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value]) => value!);

interface InstanceStart {
  command: string[];
  environment: Record<string, string>;
}

/**
 * The command of the instance, under the unit's filter of system calls where one can be made, and its environment.
 * @param folder stands for the folders of credentials, state and cache
 */
export async function instanceStart(instance: string, folder: string): Promise<InstanceStart> {
  const unit = await deployFile("systemd/headwater@.service");
  const places = { "%i": instance, "%d": folder, "/var/lib": folder, "/var/cache": folder };
  const placed = Object.entries(places).reduce((text, [from, to]) => text.replaceAll(from, to), unit);
  const variables = [
    ...valuesOf(placed, "Environment").flatMap((value) => value.split(" ")),
    ...(await deployFile("systemd/headwater.env")).split("\n").filter((line) => /^[A-Z_]+=/.test(line)),
  ];
  const [start = ""] = valuesOf(placed, "ExecStart");
  const command = start
    .replace("/usr/bin/node", process.execPath)
    .replace("/opt/headwater/", ROOT)
    .split(" ");
  return {
    command: withoutFilter ? command : underFilter(unit, command),
    environment: Object.fromEntries(variables.map((variable) => variable.split(/=(.*)/s, 2))),
  };
}
