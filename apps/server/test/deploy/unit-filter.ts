/** Runs a program under the seccomp filter of a systemd unit, without systemd: see `under-filter.pl`. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("under-filter.pl", import.meta.url));

/** Why no filter can be made here; false when one can. */
export const withoutFilter =
  (!existsSync("/usr/bin/systemd-analyze") && "there is no /usr/bin/systemd-analyze") ||
  (!existsSync("/usr/bin/h2ph") &&
    "the package perl, which knows the numbers of system calls, is not installed");

/** The members of every set of system calls. A member can be another set. */
function readSets(): Map<string, string[]> {
  const sets = new Map<string, string[]>();
  let members: string[] = [];
  const text = execFileSync("systemd-analyze", ["syscall-filter"], {
    encoding: "utf8",
    env: { LC_ALL: "C" },
    // it remarks that no kernel is at hand to compare with
    stdio: ["ignore", "pipe", "ignore"],
  });
  for (const line of text.split("\n")) {
    if (line.startsWith("@")) {
      members = [];
      sets.set(line.trim(), members);
    } else if (/^ {4}[@a-z]/.test(line)) members.push(line.trim());
  }
  return sets;
}

function expand(name: string, sets: ReadonlyMap<string, string[]>): string[] {
  return name.startsWith("@") ? (sets.get(name) ?? []).flatMap((member) => expand(member, sets)) : [name];
}

/** The system calls that a unit allows. Its first `SystemCallFilter=` is a list of allowed calls. */
function allowedCalls(unit: string): Set<string> {
  const sets = readSets();
  const allowed = new Set(expand("@default", sets));
  for (const [, not, names = ""] of unit.matchAll(/^SystemCallFilter=(~?)(.*)$/gm)) {
    const calls = names.split(" ").flatMap((word) => expand(word, sets));
    const change = (call: string) => (not === "~" ? allowed.delete(call) : allowed.add(call));
    calls.forEach(change);
  }
  return allowed;
}

/** @returns the command that runs `command` under the filter of the unit with this text */
export const underFilter = (unit: string, command: readonly string[]): string[] => [
  "/usr/bin/perl",
  PROGRAM,
  [...allowedCalls(unit)].join(","),
  ...command,
];
