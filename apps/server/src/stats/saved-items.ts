/** The operations on saved segments, funnels and annotations (docs/api/reports.md). */
import { type Issue, LIMITS, type PathRules, type SavedItem, type SavedKind } from "@headwater/contract";
import { neverStored } from "@headwater/contract/path-pattern";
import { issueAt, Refusal, requireNoIssues } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import { canSeeUser } from "../core/users.ts";
import type { FieldRule, Handler } from "../http/handler.ts";
import type { Catalog } from "../ledger/ledger.ts";
import type { SavedItemRecord } from "../ledger/records.ts";
import { parseDay } from "./range.ts";
import { readFilters } from "./sql/filter.ts";

const render = (
  viewer: Parameters<typeof canSeeUser>[0],
  { savedId, kind, name, isShared, userId, createdAt, definition }: SavedItemRecord,
): SavedItem => ({
  savedId,
  kind,
  name,
  shared: isShared,
  userId: canSeeUser(viewer, userId) ? userId : null,
  createdAt: toIsoTime(createdAt),
  ...definition,
});

/** The member that an item of each kind must have, and which other kinds must not have. */
const MEMBER_OF: Readonly<Record<SavedKind, "filters" | "steps" | "day">> = {
  segment: "filters",
  funnel: "steps",
  annotation: "day",
};

/** Checks what the schema of a saved item cannot express: the members that belong to its kind, and valid filters. */
export const checkSavedItem: FieldRule = (body) => {
  const issues: Issue[] = [];
  for (const [kind, member] of Object.entries(MEMBER_OF)) {
    const isGiven = body[member] != null;
    if (isGiven === (body.kind === kind)) continue;
    issues.push(
      isGiven
        ? issueAt([member], `only a ${kind} has ${member}`)
        : issueAt([member], `is required for a ${kind}`, "required"),
    );
  }
  if (body.windowSeconds != null && body.kind !== "funnel")
    issues.push(issueAt(["windowSeconds"], "only a funnel has windowSeconds"));
  requireNoIssues(issues);
};

export const listSavedItems =
  (catalog: Catalog): Handler<"listSavedItems"> =>
  async (call) => {
    const { sourceId } = call.source;
    const items = await catalog.savedItems({ sourceId, userId: call.actor.userId });
    return { body: { items: items.map((item) => render(call, item)) } };
  };

/**
 * @throws Refusal 422 for filters that no query could have, steps that match no stored path, a day that does not exist, or what
 *   is too long to be kept
 */
function requireStorable(definition: SavedItemRecord["definition"], pathRules: PathRules): void {
  const issues: Issue[] = [];
  readFilters(definition.filters ?? [], issues);
  for (const [index, { page }] of (definition.steps ?? []).entries()) {
    const stored = page === undefined ? null : neverStored(pathRules, page);
    if (stored === null) continue;
    const message = `matches no page, because the source's pathRules store it as ${JSON.stringify(stored)}`;
    issues.push(issueAt(["steps", index, "page"], message));
  }
  if (definition.day !== null && parseDay(definition.day) === null)
    issues.push(issueAt(["day"], "day is not a day (YYYY-MM-DD)"));
  const max = LIMITS.maxSavedItemLength;
  if (JSON.stringify(definition).length > max)
    issues.push(
      issueAt(
        [definition.filters === null ? "steps" : "filters"],
        `a saved item has at most ${max} characters as JSON`,
        "too_long",
      ),
    );
  requireNoIssues(issues);
}

function requireMayShare(permissions: readonly string[]): void {
  if (permissions.includes("sources:write")) return;
  throw new Refusal("permission_denied", {
    message: "Your role in this workspace does not have the sources:write permission.",
    hint: "Leave out `shared`, or ask an admin of the workspace for a role that has sources:write.",
  });
}

export const createSavedItem =
  (catalog: Catalog, newId: (prefix: string) => string): Handler<"createSavedItem"> =>
  async ({ source: { sourceId, pathRules }, actor, permissions, body, now }) => {
    const {
      kind,
      name,
      shared = false,
      filters = null,
      steps = null,
      windowSeconds = null,
      day = null,
    } = body;
    const definition = { filters, steps, windowSeconds, day };
    requireStorable(definition, pathRules);
    if (shared) requireMayShare(permissions);
    const item: SavedItemRecord = {
      savedId: newId("sav"),
      sourceId,
      userId: actor.userId,
      kind,
      name: name.trim(),
      isShared: shared,
      createdAt: now,
      definition,
    };
    const created = await catalog.createSavedItem({ item, actor, now });
    if (created === "unknown") throw new Refusal("source_not_found");
    if (created === "too_many") throw new Refusal("too_many_saved_items");
    return { body: render({ actor, permissions }, item) };
  };

export const deleteSavedItem =
  (catalog: Catalog): Handler<"deleteSavedItem"> =>
  async ({ source: { sourceId }, params: { savedId }, actor, permissions, now }) => {
    const mayDeleteShared = permissions.includes("sources:write");
    const outcome = await catalog.deleteSavedItem({ sourceId, savedId, mayDeleteShared, actor, now });
    if (outcome === "unknown") throw new Refusal("saved_item_not_found");
    if (outcome === "denied") requireMayShare(permissions);
    return { body: { savedId, deletedAt: toIsoTime(now) } };
  };
