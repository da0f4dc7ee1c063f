/** Reads the fields of a source from a request body: the rules that a schema cannot state (docs/contract.md section 2). Pure. */
import { type Issue, LIMITS, type SourceFieldName, type UpdateSourceBody } from "@headwater/contract";
import { readOrigins } from "@headwater/contract/origin";
import { isUnchanged } from "../core/members.ts";
import type { SourceRecord } from "../core/records.ts";
import { Refusal } from "../core/refusal.ts";

/** The fields of a body that change a source. */
type SourceFields = Pick<UpdateSourceBody, SourceFieldName>;
type GoalFields = NonNullable<SourceFields["goals"]>[number];

/** A name has 1 to 120 characters after trimming, as people count characters, and no control characters. */
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

/** A goal has either an event or a path, and a name that no goal before it has. */
function goalIssues(goals: readonly GoalFields[]): Issue[] {
  return goals.flatMap(({ name, event, path }, index): Issue[] => {
    const issue = (field: string, message: string): Issue => ({
      path: ["goals", index, field],
      code: "invalid_value",
      message,
    });
    if (goals.findIndex((other) => other.name === name) < index)
      return [issue("name", "another goal has this name")];
    return (event == null) === (path == null)
      ? [issue("event", "a goal must have either an event or a path")]
      : [];
  });
}

/**
 * The fields of a body as they are stored. A field without a rule of its own passes unchanged, and an absent field stays
 * absent. Throws one 422 `invalid_payload` with every issue.
 */
export function readSourceFields({ name, allowedOrigins, frameworkHint, goals, ...others }: SourceFields) {
  const trimmedName = name?.trim();
  const { origins, issues: originIssues } = readOrigins(allowedOrigins ?? []);
  const issues = [
    ...(trimmedName === undefined ? [] : nameIssues(trimmedName)),
    ...originIssues,
    ...goalIssues(goals ?? []),
  ];
  if (issues.length > 0) throw new Refusal("invalid_payload", { issues });
  return {
    ...others,
    ...(trimmedName !== undefined && { name: trimmedName }),
    ...(allowedOrigins !== undefined && { allowedOrigins: origins }),
    ...(frameworkHint !== undefined && { frameworkHint: frameworkHint?.toLowerCase() ?? null }),
    ...(goals !== undefined && {
      goals: goals.map((goal) => ({ name: goal.name, event: goal.event ?? null, path: goal.path ?? null })),
    }),
  };
}

/**
 * The fields of an update, without the members that only the service changes. `limits` and `retentionDays` are left out when the
 * source has these values already, because the guard has asked for no permission then.
 * @throws Refusal 422 when a member that identifies the source differs
 */
export function readUpdate(body: UpdateSourceBody, source: SourceRecord) {
  const { organizationId: _organization, createdAt: _created, updatedAt: _updated, ...rest } = body;
  const { previousKeyExpiresAt: _expires, publicKeyRotatedAt: _rotated, ...fields } = rest;
  const { lastBootstrapAt: _bootstrap, lastEventAt: _event, ...others } = fields;
  const { sourceId = source.sourceId, publicKey = source.publicKey, limits, retentionDays, ...free } = others;
  const issue = (name: string): Issue => ({
    path: [name],
    code: "invalid_value",
    message: `${name} is read-only; leave it out or send the value that the source has`,
  });
  const issues = [
    ...(sourceId === source.sourceId ? [] : [issue("sourceId")]),
    ...(publicKey === source.publicKey ? [] : [issue("publicKey")]),
  ];
  if (issues.length > 0) throw new Refusal("invalid_payload", { issues });
  return readSourceFields({
    ...free,
    ...(limits !== undefined && !isUnchanged(limits, source.limits) && { limits }),
    ...(retentionDays !== undefined && retentionDays !== source.retentionDays && { retentionDays }),
  });
}

const isGoal = (value: unknown): value is GoalFields => typeof value === "object" && value !== null;
const isText = (value: unknown): value is string => typeof value === "string";

/** Applies the same rules to a body of any shape (`FieldRules`). The schema reports fields of a wrong type. */
export function checkSourceFields({ name, allowedOrigins, goals }: Readonly<Record<string, unknown>>): void {
  readSourceFields({
    ...(isText(name) && { name }),
    ...(Array.isArray(allowedOrigins) && allowedOrigins.every(isText) && { allowedOrigins }),
    ...(Array.isArray(goals) && goals.every(isGoal) && { goals }),
  });
}
