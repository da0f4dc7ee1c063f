/** How a person runs the command line here, for messages that name a command. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

const PROGRAM = join("node_modules", ".bin", "headwater");

/**
 * `npx headwater` where npm has installed it, as in a checkout and in a folder with the package. Elsewhere it is
 * `headwater`: on the PATH of a container, and the shell's function of docs/operate/install.md.
 * @param folder the folder in which the person runs commands
 */
export function findCommandName(folder: string): "npx headwater" | "headwater" {
  if (existsSync(join(folder, PROGRAM))) return "npx headwater";
  const parent = dirname(folder);
  return parent === folder ? "headwater" : findCommandName(parent);
}

/** The command line in the folder of this process. */
export const HEADWATER = findCommandName(process.cwd());
