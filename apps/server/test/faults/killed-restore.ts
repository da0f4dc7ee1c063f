/** Kills `headwater restore` at a moment of its work. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, watch } from "node:fs";
import { BIN } from "../cli/command-line.ts";

/** Restores, and kills the command at the n-th change in the folder. @returns whether it was killed before its end */
export async function restoreUntil(backup: string, dataDir: string, changes: number): Promise<boolean> {
  mkdirSync(dataDir);
  const env = { PATH: process.env.PATH ?? "", DATA_DIR: dataDir, WAREHOUSE: "off" };
  const child = spawn(process.execPath, [BIN, "restore", "--from", backup], { env, stdio: "ignore" });
  const ended = once(child, "exit");
  let seen = 0;
  const watcher = watch(dataDir, () => {
    seen += 1;
    if (seen === changes) child.kill("SIGKILL");
  });
  const [code] = await ended;
  watcher.close();
  return code === null;
}
