/** The rules of a source's fields that a schema cannot say (CONTRACT section 2). Pure. */
import { type Issue, LIMITS } from "@headwater/contract";
import { readOrigins } from "@headwater/contract/origin";
import { Refusal } from "../core/refusal.ts";

interface Given {
  name?: string | undefined;
  allowedOrigins?: string[] | undefined;
  frameworkHint?: string | null | undefined;
  goals?: GivenGoal[] | undefined;
}
interface GivenGoal {
  name: string;
  event?: string | null | undefined;
  path?: string | null | undefined;
}

/** 1 to 120 characters after trimming, as people count them; no control characters. */
function nameIssues(name: string): Issue[] {
  const issue = (code: Issue["code"], message: string): Issue => ({
    path: ["name"],
    code,
    message: `name ${message}`,
  });
  if (name === "") return [issue("too_short", "must not be empty")];
  if ([...name].length > LIMITS.maxNameLength) {
    return [issue("too_long", `must NOT have more than ${LIMITS.maxNameLength} characters`)];
  }
  return /\p{Cc}/u.test(name) ? [issue("invalid_value", "must not contain control characters")] : [];
}

/** Each is an event or a path, and has a name that no other has. */
function goalIssues(goals: readonly GivenGoal[]): Issue[] {
  return goals.flatMap(({ name, event, path }, index): Issue[] => {
    const issue = (field: string, message: string): Issue => ({
      path: ["goals", index, field],
      code: "invalid_value",
      message,
    });
    if (goals.findIndex((other) => other.name === name) < index)
      return [issue("name", "another goal has this name")];
    return (event == null) === (path == null)
      ? [issue("event", "a goal is either an event or a path: give one of them")]
      : [];
  });
}

const isGoal = (value: unknown): value is GivenGoal => typeof value === "object" && value !== null;
const isText = (value: unknown): value is string => typeof value === "string";

/** The fields of a body of any shape that can be held against the rules; what cannot is the schema's to refuse. */
export function checkFields({ name, allowedOrigins, goals }: Readonly<Record<string, unknown>>): void {
  const origins = Array.isArray(allowedOrigins) && allowedOrigins.every(isText) ? allowedOrigins : undefined;
  const listed = Array.isArray(goals) && goals.every(isGoal) ? goals : undefined;
  readFields({ name: isText(name) ? name : undefined, allowedOrigins: origins, goals: listed });
}

/**
 * The supplied fields in the form in which they are kept; what was not supplied stays undefined.
 * Throws one 422 with every issue.
 */
export function readFields(given: Given) {
  const name = given.name?.trim();
  const read = given.allowedOrigins && readOrigins(given.allowedOrigins);
  const issues = [
    ...(name === undefined ? [] : nameIssues(name)),
    ...(read?.issues ?? []),
    ...goalIssues(given.goals ?? []),
  ];
  if (issues.length > 0) throw new Refusal("invalid_payload", { issues });
  const frameworkHint = given.frameworkHint?.toLowerCase() ?? given.frameworkHint;
  const goals = given.goals?.map(({ name: named, event = null, path = null }) => ({
    name: named,
    event,
    path,
  }));
  return { name, allowedOrigins: read?.origins, frameworkHint, goals };
}
