/** The events of a source, from its catalogue and its tracking plan, and the differences between two plans. Pure. */
import type { CatalogEvent, PlanMode, PlannedEvent, TrackingPlan } from "@headwater/contract";

/** An event that the source has sent, or that is planned. */
export interface KnownEvent {
  readonly name: string;
  /** null: none was accepted yet. */
  readonly seen: CatalogEvent | null;
  /** null: it is not in the plan. */
  readonly planned: PlannedEvent | null;
}

/** The browser client sends these by itself. The site does not plan their properties. */
export const CLIENT_EVENTS: readonly string[] = ["engagement", "web_vitals"];

/** Page views, and what the client and its extras send without a call of the site. */
const AUTOMATIC_EVENTS: readonly string[] = [
  "page_view",
  ...CLIENT_EVENTS,
  "outbound_link",
  "file_download",
  "form_submit",
];

/** @returns the text for an event that is not planned */
export const unplannedText = (name: string): string =>
  AUTOMATIC_EVENTS.includes(name) ? "Automatic" : "Not in the plan";

/** Events can have names such as `constructor`, which every object has as a member. */
const plannedIn = ({ events }: TrackingPlan, name: string): PlannedEvent | undefined =>
  Object.hasOwn(events, name) ? events[name] : undefined;

/** Planned events that were not seen come last. */
export function knownEvents(seen: readonly CatalogEvent[], plan: TrackingPlan): KnownEvent[] {
  const names = new Set(seen.map(({ name }) => name));
  const known = seen.map((event) => {
    const { name } = event;
    return { name, seen: event, planned: plannedIn(plan, name) ?? null };
  });
  const unseen = Object.entries(plan.events)
    .filter(([name]) => !names.has(name))
    .map(([name, planned]) => ({ name, seen: null, planned }));
  return [...known.toSorted((a, b) => b.seen.events - a.seen.events), ...unseen];
}

/** The treatment of an event that violates the plan. null: the plan does not have it. */
export const modeOf = ({ planned }: KnownEvent, { mode }: TrackingPlan): PlanMode | null =>
  planned && (planned.mode ?? mode);

/** @param event null: it is removed */
export function withEvent(plan: TrackingPlan, name: string, event: PlannedEvent | null): TrackingPlan {
  const others = Object.entries(plan.events).filter(([other]) => other !== name);
  return { ...plan, events: Object.fromEntries(event ? [...others, [name, event]] : others) };
}

export interface PlanDifference {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The differences between two plans: their own modes, and each event. */
export function differencesOf(before: TrackingPlan, after: TrackingPlan): PlanDifference[] {
  const modes = ({ mode, unknownEvents }: TrackingPlan) => ({ mode, unknownEvents });
  const names = new Set([...Object.keys(before.events), ...Object.keys(after.events)]);
  const all = [
    { name: "Plan checks", before: modes(before), after: modes(after) },
    ...[...names].map((name) => ({ name, before: plannedIn(before, name), after: plannedIn(after, name) })),
  ];
  return all.filter((one) => JSON.stringify(one.before) !== JSON.stringify(one.after));
}
