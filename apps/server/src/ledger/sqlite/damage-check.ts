/** Looks for damage in the ledger's file, in a process of its own: a check of a gigabyte takes five seconds. */
import { fork } from "node:child_process";
import type { DamageCheckOrder, DamageCheckReport } from "./damage-check-child.ts";

/** A check for damage reads 200 MB a second, and keeps SQLite's `-wal` from being emptied. */
const DAMAGE_CHECK_MS = 120_000;

const CHILD = new URL("./damage-check-child.ts", import.meta.url);

/**
 * @param signal ends the check, which then finds nothing
 * @returns SQLite's description of the first damage; null when none was found
 * @throws Error when the check could not be made, or takes more than `DAMAGE_CHECK_MS`
 */
export async function findDamage(path: string, signal: AbortSignal): Promise<string | null> {
  const child = fork(CHILD, {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const answered = Promise.withResolvers<DamageCheckReport>();
  child.once("message", (report: DamageCheckReport) => answered.resolve(report));
  child.once("error", ({ message }) => answered.resolve({ failure: message }));
  child.once("exit", (code, killedBy) =>
    answered.resolve({ failure: `its process ended (${killedBy ?? `exit code ${code}`})` }),
  );
  const deadline = setTimeout(
    () => answered.resolve({ failure: `it took more than ${DAMAGE_CHECK_MS / 1_000} s` }),
    DAMAGE_CHECK_MS,
  );
  const end = () => answered.resolve({ damage: null });
  signal.addEventListener("abort", end);
  child.send({ path } satisfies DamageCheckOrder, () => undefined);
  const report = await answered.promise;
  clearTimeout(deadline);
  signal.removeEventListener("abort", end);
  // it reads only, so it can be ended at any time
  child.kill("SIGKILL");
  if ("failure" in report) throw new Error(report.failure);
  return report.damage;
}
