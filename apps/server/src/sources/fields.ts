/** Reads the fields of a source from a request body: the rules that a schema cannot state (docs/api/sources.md). Pure. */
import {
  type GoalCondition,
  type Issue,
  LIMITS,
  type SourceFieldName,
  type UpdateSourceBody,
} from "@headwater/contract";
import { neverStored } from "@headwater/contract/path-pattern";
import { readOrigins } from "@headwater/contract/site-address";
import { isAddressRange } from "../core/address-ranges.ts";
import { isRecord, isUnchanged } from "../core/members.ts";
import { issueAt, requireNoIssues } from "../core/refusal.ts";
import { readCurrency, roundAmount } from "../core/revenue.ts";
import type { SourceRecord } from "../ledger/records.ts";

/** The fields of a body that change a source. */
type SourceFields = Pick<UpdateSourceBody, SourceFieldName>;
type GoalFields = NonNullable<SourceFields["goals"]>[number];

/** A name has 1 to 120 characters after trimming, as people count characters, and no control characters. */
function nameIssues(name: string): Issue[] {
  const max = LIMITS.maxNameLength;
  if (name === "") return [issueAt("name", "name must not be empty", "too_short")];
  if ([...name].length > max)
    return [issueAt("name", `name must NOT have more than ${max} characters`, "too_long")];
  return /\p{Cc}/u.test(name) ? [issueAt("name", "name must not contain control characters")] : [];
}

/** gt and lt compare numbers, contains texts. */
function conditionIssues({ operator, value }: GoalCondition, path: (string | number)[]): Issue[] {
  const wanted =
    operator === "gt" || operator === "lt" ? "number" : operator === "contains" ? "string" : null;
  const isWrong = wanted !== null && (typeof value !== wanted || value === "");
  const message = `${operator} takes ${wanted === "number" ? "a number" : "a string that is not empty"}`;
  return isWrong ? [issueAt([...path, "value"], message)] : [];
}

function currencyIssues(currency: string | undefined, path: (string | number)[]): Issue[] {
  if (currency === undefined || readCurrency(currency) !== null) return [];
  const given = JSON.stringify(currency);
  return [issueAt(path, `${path.join(".")} must be an ISO 4217 code, such as EUR, not ${given}`)];
}

/** A goal has either an event or a path, and a name that no goal before it has. */
function goalIssues(goals: readonly GoalFields[]): Issue[] {
  return goals.flatMap(({ name, event, path, conditions = [], value }, index): Issue[] => {
    if (goals.findIndex((other) => other.name === name) < index)
      return [issueAt(["goals", index, "name"], "another goal has this name")];
    if ((event == null) === (path == null))
      return [issueAt(["goals", index, "event"], "a goal must have either an event or a path")];
    return [
      ...conditions.flatMap((one, at) => conditionIssues(one, ["goals", index, "conditions", at])),
      ...currencyIssues(value?.currency, ["goals", index, "value", "currency"]),
    ];
  });
}

/** Patterns of paths that can match no path as the source stores them. */
export function pathIssues({
  goals,
  contentGroups,
  excludedPaths,
  pathRules,
}: Pick<SourceRecord, "goals" | "contentGroups" | "excludedPaths" | "pathRules">): Issue[] {
  const issueOf = (pattern: string, path: (string | number)[], rules = pathRules): Issue[] => {
    const stored = neverStored(rules, pattern);
    if (stored === null) return [];
    const message = `${path.join(".")} matches no path, because pathRules store ${JSON.stringify(pattern)} as ${JSON.stringify(stored)}`;
    return [issueAt(path, message)];
  };
  return [
    ...goals.flatMap(({ path }, index) => (path === null ? [] : issueOf(path, ["goals", index, "path"]))),
    ...contentGroups.flatMap(({ paths }, index) =>
      paths.flatMap((pattern, at) => issueOf(pattern, ["contentGroups", index, "paths", at])),
    ),
    ...excludedPaths.flatMap((pattern, index) => issueOf(pattern, ["excludedPaths", index])),
    // a pattern may be hidden by one before it, which is a matter of their order
    ...pathRules.patterns.flatMap((pattern, index) =>
      issueOf(pattern, ["pathRules", "patterns", index], { ...pathRules, patterns: [] }),
    ),
  ];
}

const addressIssues = (addresses: readonly string[]): Issue[] =>
  addresses.flatMap((address, index): Issue[] => {
    if (isAddressRange(address)) return [];
    const message = `excludedAddresses.${index} must be an address or a CIDR range, such as 203.0.113.0/24; ${JSON.stringify(address)} is neither`;
    return [issueAt(["excludedAddresses", index], message)];
  });

/**
 * The fields of a body as they are stored. A field without a rule of its own passes unchanged, and an absent field stays
 * absent. Throws one 422 `invalid_payload` with every issue.
 */
export function readSourceFields(fields: SourceFields) {
  const { name, allowedOrigins, embedOrigins, frameworkHint, goals, ...others } = fields;
  const trimmedName = name?.trim();
  const { origins, issues: originIssues } = readOrigins(allowedOrigins ?? []);
  const embedding = readOrigins(embedOrigins ?? [], "embedOrigins");
  const issues = [
    ...(trimmedName === undefined ? [] : nameIssues(trimmedName)),
    ...originIssues,
    ...embedding.issues,
    ...goalIssues(goals ?? []),
    ...addressIssues(fields.excludedAddresses ?? []),
  ];
  requireNoIssues(issues);
  return {
    ...others,
    ...(trimmedName !== undefined && { name: trimmedName }),
    ...(allowedOrigins !== undefined && { allowedOrigins: origins }),
    ...(embedOrigins !== undefined && { embedOrigins: embedding.origins }),
    ...(frameworkHint !== undefined && { frameworkHint: frameworkHint?.toLowerCase() ?? null }),
    ...(goals !== undefined && {
      goals: goals.map(({ name, event = null, path = null, conditions = [], value = null }) => ({
        name,
        event,
        path,
        conditions,
        value: value && {
          amount: roundAmount(value.amount),
          currency: readCurrency(value.currency) ?? value.currency,
        },
      })),
    }),
  };
}

/**
 * The fields of an update, without the members that only the service changes. `limits` and `retentionDays` are left out when the
 * source has these values already, because the guard has asked for no permission then.
 * @throws Refusal 422 when a member that identifies the source differs
 */
export function readUpdate(body: UpdateSourceBody, source: SourceRecord) {
  const {
    organizationId: _organization,
    createdAt: _created,
    updatedAt: _updated,
    health: _health,
    ...rest
  } = body;
  const { previousKeyExpiresAt: _expires, publicKeyRotatedAt: _rotated, ...fields } = rest;
  const { lastBootstrapAt: _bootstrap, lastEventAt: _event, ...others } = fields;
  const { sourceId = source.sourceId, publicKey = source.publicKey, limits, retentionDays, ...free } = others;
  const readOnly = [
    ...(sourceId === source.sourceId ? [] : ["sourceId"]),
    ...(publicKey === source.publicKey ? [] : ["publicKey"]),
  ];
  const hint = "is read-only; leave it out or send the value that the source has";
  requireNoIssues(readOnly.map((name) => issueAt(name, `${name} ${hint}`)));
  return readSourceFields({
    ...free,
    ...(limits !== undefined && !isUnchanged(limits, source.limits) && { limits }),
    ...(retentionDays !== undefined && retentionDays !== source.retentionDays && { retentionDays }),
  });
}

const isText = (value: unknown): value is string => typeof value === "string";
const isCondition = (value: unknown) => isRecord(value) && isText(value.property);
/** Whether the rules can read a goal. */
function isGoal(goal: unknown): goal is GoalFields {
  if (!isRecord(goal)) return false;
  const { conditions = [], value } = goal;
  const hasValue = isRecord(value) && typeof value.amount === "number" && isText(value.currency);
  return Array.isArray(conditions) && conditions.every(isCondition) && (value == null || hasValue);
}

/** Applies the same rules to a body of any shape (`FieldRules`). The schema reports fields of a wrong type. */
export function checkSourceFields(fields: Readonly<Record<string, unknown>>): void {
  const { name, allowedOrigins, embedOrigins, goals, excludedAddresses } = fields;
  readSourceFields({
    ...(Array.isArray(excludedAddresses) && excludedAddresses.every(isText) && { excludedAddresses }),
    ...(isText(name) && { name }),
    ...(Array.isArray(allowedOrigins) && allowedOrigins.every(isText) && { allowedOrigins }),
    ...(Array.isArray(embedOrigins) && embedOrigins.every(isText) && { embedOrigins }),
    ...(Array.isArray(goals) && goals.every(isGoal) && { goals }),
  });
}
