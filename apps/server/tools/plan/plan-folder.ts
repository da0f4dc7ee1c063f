/**
 * A tracking plan as files in a user's repository: `plan.json` has the modes and names the file of each event, which has the
 * JSON Schema of its properties.
 */

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { LIMITS, TrackingPlan } from "@headwater/contract";
import { CommandFailed } from "../../src/cli/errors.ts";
import { HEADWATER } from "../../src/core/command-name.ts";
import { messageOf, systemCode } from "../../src/core/errors.ts";
import { isRecord, memberOf } from "../../src/core/members.ts";
import { nearestName } from "../../src/core/nearest-name.ts";
import { compile } from "../../src/core/validate.ts";
import type { PlanViolation } from "../../src/plan/compile-plan.ts";
import { checkSchema } from "../../src/plan/schema-rules.ts";
import { lineAtOffset, lineOfMember } from "./json-lines.ts";

export interface PlanFolder {
  readonly plan: TrackingPlan;
  /** The version that was pulled; 0: none. */
  readonly version: number;
  /** `plan.json`. */
  readonly index: PlanFile;
  /** The file of each event, by the event's name. */
  readonly files: ReadonlyMap<string, PlanFile>;
}

interface PlanFile {
  readonly path: string;
  readonly text: string;
}

const toText = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** A file name that every system can store, and that no other event has. */
function fileNameOf(event: string, used: Set<string>): string {
  const words = event.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const base = words.replace(/^-|-$/g, "").slice(0, 60) || "event";
  let name = base;
  for (let number = 2; used.has(name); number++) name = `${base}-${number}`;
  used.add(name);
  return `events/${name}.json`;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CommandFailed(
      `${path} cannot be read (${systemCode(error)}). Run \`${HEADWATER} plan pull\` to write the plan's files.`,
    );
  }
}

function parseJson({ path, text }: PlanFile): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = messageOf(error);
    const position = /at position (\d+)/.exec(message)?.[1];
    const line = position === undefined ? 1 : lineAtOffset(text, Number(position));
    throw new CommandFailed(`${path}:${line}: the file is not JSON: ${message}.`);
  }
}

interface EventEntry {
  readonly name: string;
  readonly mode: unknown;
  readonly file: PlanFile;
  readonly schema: unknown;
}

function readEntries(folder: string, index: PlanFile, events: unknown): EventEntry[] {
  return Object.entries(isRecord(events) ? events : {}).map(([name, entry]) => {
    const given = memberOf(entry, "file");
    if (typeof given !== "string")
      throw new CommandFailed(
        `${index.path}:${lineOfMember(index.text, ["events", name])}: the event has no \`file\`, such as "events/order.json".`,
      );
    const path = join(folder, given);
    const file = { path, text: readText(path) };
    return { name, mode: memberOf(entry, "mode") ?? null, file, schema: parseJson(file) };
  });
}

/** @throws CommandFailed with the file and line of each schema that a plan cannot have */
function requireValidSchemas(entries: readonly EventEntry[]): void {
  const problems = entries.flatMap(({ file, schema }) => {
    if (!isRecord(schema)) return [`${file.path}:1: a JSON Schema is an object`];
    return checkSchema(schema, []).issues.map(
      ({ path, message }) => `${file.path}:${lineOfMember(file.text, path)}: ${message.trim()}`,
    );
  });
  if (problems.length === 0) return;
  const shown = problems.slice(0, LIMITS.maxIssues);
  throw new CommandFailed(`The plan has schemas that are not allowed.\n${shown.join("\n")}`);
}

/** @throws CommandFailed with the file and line of what is wrong */
export function readPlanFolder(folder: string): PlanFolder {
  const path = join(folder, "plan.json");
  const index = { path, text: readText(path) };
  const content = parseJson(index);
  const entries = readEntries(folder, index, memberOf(content, "events"));
  requireValidSchemas(entries);
  const plan = {
    mode: memberOf(content, "mode"),
    unknownEvents: memberOf(content, "unknownEvents"),
    events: Object.fromEntries(entries.map(({ name, mode, schema }) => [name, { mode, schema }])),
  };
  const check = compile(TrackingPlan);
  if (!check(plan)) {
    const [issue] = check.issues(plan);
    const path = issue?.path ?? [];
    throw new CommandFailed(`${index.path}:${lineOfMember(index.text, path)}: ${issue?.message}.`);
  }
  const version = memberOf(content, "version");
  const files = new Map(entries.map(({ name, file }) => [name, file]));
  return { plan, version: typeof version === "number" ? version : 0, index, files };
}

export interface PlanPlace {
  readonly file: string;
  readonly line: number;
}

const decodePointer = (part: string) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");

/** Where the plan says what the event violates. For an unplanned event: the planned event that it resembles. */
export function placeInPlan(
  { plan, index, files }: PlanFolder,
  event: string,
  { schemaPath }: Pick<PlanViolation, "schemaPath">,
): PlanPlace {
  const file = files.get(event);
  if (file && schemaPath !== null) {
    const path = schemaPath.split("/").slice(1).map(decodePointer);
    return { file: file.path, line: lineOfMember(file.text, path) };
  }
  const meant = nearestName(event, Object.keys(plan.events));
  const path = meant === undefined ? ["unknownEvents"] : ["events", meant];
  return { file: index.path, line: lineOfMember(index.text, path) };
}

/** Files of events keep their names, so that a repository's history shows what changed. */
function knownFiles(indexPath: string): Map<string, string> {
  if (!existsSync(indexPath)) return new Map();
  const events = memberOf(parseJson({ path: indexPath, text: readText(indexPath) }), "events");
  const named = Object.entries(isRecord(events) ? events : {}).map(([name, entry]) => [
    name,
    memberOf(entry, "file"),
  ]);
  return new Map(named.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** Writes the plan, and removes the files of events that it no longer has. @returns how many files were written */
export function writePlanFolder(
  folder: string,
  { version, plan }: { version: number; plan: TrackingPlan },
): number {
  const indexPath = join(folder, "plan.json");
  const before = knownFiles(indexPath);
  const used = new Set([...before.values()].map((file) => file.replace(/^events\/|\.json$/g, "")));
  const written = new Map<string, string>();
  const events = Object.entries(plan.events).map(([name, { mode = null, schema }]) => {
    const text = toText(schema);
    const known = before.get(name);
    // events whose schemas are equal can have one file
    const isFree = known !== undefined && (written.get(known) ?? text) === text;
    const file = isFree ? known : fileNameOf(name, used);
    written.set(file, text);
    return { name, mode, file };
  });
  for (const [file, text] of written) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  for (const file of before.values()) if (!written.has(file)) rmSync(join(folder, file), { force: true });
  const { mode, unknownEvents } = plan;
  const entries = Object.fromEntries(events.map(({ name, mode: own, file }) => [name, { mode: own, file }]));
  mkdirSync(folder, { recursive: true });
  writeFileSync(indexPath, toText({ version, mode, unknownEvents, events: entries }));
  return written.size + 1;
}
