/** The edits of a replay: changes of the properties of kept events. Pure. */
import type { PropertyEdit } from "@headwater/contract";

type EventProperties = Readonly<Record<string, unknown>>;
type EditedType = Extract<PropertyEdit, { op: "cast" }>["to"];

const DECIMAL = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** A value that cannot be read as the type, or would become another one, stays as it is: the event is then rejected again. */
function castValue(value: unknown, to: EditedType): unknown {
  if (to === "string") return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  const text = typeof value === "string" ? value.trim() : String(value);
  if (to === "boolean")
    return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : value;
  const number = typeof value === "string" && DECIMAL.test(text) ? Number(text) : Number.NaN;
  const isExact = Number.isSafeInteger(number) || !Number.isInteger(number);
  return Number.isFinite(number) && isExact ? number : value;
}

function editProperties(properties: EventProperties, edit: PropertyEdit): EventProperties {
  if (!Object.hasOwn(properties, edit.property)) return properties;
  const members = Object.entries(properties).flatMap(([name, value]) => {
    // a renamed property takes the place of one that has its new name
    if (name !== edit.property)
      return edit.op === "rename" && name === edit.to ? [] : [[name, value] as const];
    if (edit.op === "drop") return [];
    return edit.op === "rename" ? [[edit.to, value] as const] : [[name, castValue(value, edit.to)] as const];
  });
  return Object.fromEntries(members);
}

export const applyEdits = (properties: EventProperties, edits: readonly PropertyEdit[]): EventProperties =>
  edits.reduce(editProperties, properties);
