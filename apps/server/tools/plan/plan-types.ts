/** Generates TypeScript types of planned events, and of `track` for them. Pure. */
import type { TrackingPlan } from "@headwater/contract";
import { isRecord, memberOf } from "../../src/core/members.ts";
import { GENERATED_MARK } from "./check-events.ts";

const quote = (text: string) => JSON.stringify(text);
const nameOf = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name));

function commentOf(schema: unknown, indent: string): string {
  const description = memberOf(schema, "description");
  if (typeof description !== "string") return "";
  return `${indent}/** ${description.replaceAll("*/", "*∕").replace(/\s+/g, " ")} */\n`;
}

const unionOf = (types: readonly string[]): string => [...new Set(types)].join(" | ") || "unknown";
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Where a type is written. */
interface TypePlace {
  /** The `$defs` of the whole schema. */
  readonly definitions: unknown;
  readonly indent: string;
}

function objectType(schema: unknown, place: TypePlace): string {
  const properties = memberOf(schema, "properties");
  const required = new Set(listOf(memberOf(schema, "required")).map(String));
  const inner = { ...place, indent: `${place.indent}  ` };
  const lines = [...new Set([...Object.keys(isRecord(properties) ? properties : {}), ...required])].map(
    (name) => {
      const own = memberOf(properties, name);
      const type = own === undefined ? "unknown" : typeOf(own, inner);
      const member = required.has(name)
        ? `${nameOf(name)}: ${type}`
        : `${nameOf(name)}?: ${type} | undefined`;
      return `${commentOf(own, inner.indent)}${inner.indent}readonly ${member};\n`;
    },
  );
  if (memberOf(schema, "additionalProperties") !== false)
    lines.push(`${inner.indent}readonly [name: string]: unknown;\n`);
  return lines.length === 0 ? "Readonly<Record<string, never>>" : `{\n${lines.join("")}${place.indent}}`;
}

function namedType(type: unknown, schema: unknown, place: TypePlace): string {
  switch (type) {
    case "string":
    case "number":
    case "boolean":
    case "null":
      return type;
    case "integer":
      return "number";
    case "object":
      return objectType(schema, place);
    case "array": {
      // `items` are those behind `prefixItems`
      const items = [...listOf(memberOf(schema, "prefixItems")), memberOf(schema, "items")];
      return `readonly (${unionOf(items.map((item) => typeOf(item, place)))})[]`;
    }
    default:
      return "unknown";
  }
}

/** The types that other schemas state for the same value. */
function partsOf(schema: unknown, place: TypePlace): string[] {
  const ref = memberOf(schema, "$ref");
  const definition =
    typeof ref === "string" ? memberOf(place.definitions, ref.slice("#/$defs/".length)) : undefined;
  const parts = definition === undefined ? [] : [typeOf(definition, place)];
  for (const keyword of ["anyOf", "oneOf"]) {
    const list = listOf(memberOf(schema, keyword));
    if (list.length > 0) parts.push(unionOf(list.map((one) => typeOf(one, place))));
  }
  return [...parts, ...listOf(memberOf(schema, "allOf")).map((one) => typeOf(one, place))];
}

function ownType(schema: unknown, place: TypePlace): string {
  const [values, type] = [memberOf(schema, "enum"), memberOf(schema, "type")];
  const constant = memberOf(schema, "const");
  if (constant !== undefined && !(constant instanceof Object)) return JSON.stringify(constant);
  if (Array.isArray(values) && !values.some((value) => value instanceof Object))
    return unionOf(values.map((value) => JSON.stringify(value)));
  if (type !== undefined) return unionOf([type].flat().map((one) => namedType(one, schema, place)));
  const hasMembers = ["properties", "required"].some((name) => memberOf(schema, name) !== undefined);
  return hasMembers ? objectType(schema, place) : "unknown";
}

/** A type that accepts every value that the schema accepts. */
function typeOf(schema: unknown, place: TypePlace): string {
  if (!isRecord(schema)) return schema === false ? "never" : "unknown";
  const parts = [ownType(schema, place), ...partsOf(schema, place)].filter((part) => part !== "unknown");
  return parts.length > 1 ? parts.map((part) => `(${part})`).join(" & ") : (parts[0] ?? "unknown");
}

const TRACK_TYPES = `
type TrackArguments<Properties> = Record<never, never> extends Properties
  ? [properties?: Properties, options?: TrackOptions]
  : [properties: Properties, options?: TrackOptions];

/** \`track\` of the browser client, for planned events only. */
type PlannedTrack = <Name extends keyof PlannedEvents>(
  name: Name,
  ...properties: TrackArguments<PlannedEvents[Name]>
) => void;

/** The browser client, whose \`track\` accepts planned events only: \`const client: PlannedClient = createClient({ … })\`. */
export interface PlannedClient extends Omit<Client, "track"> {
  readonly track: PlannedTrack;
}
`;

/** The browser client counts page views itself, so they are not events of \`track\`. */
const PAGE_VIEW = "page_view";

export function toTypes(plan: TrackingPlan, version: number): string {
  const events = Object.entries(plan.events)
    .filter(([name]) => name !== PAGE_VIEW)
    .map(([name, { schema }]) => {
      const place = { definitions: memberOf(schema, "$defs"), indent: "  " };
      // properties are an object, whatever the schema says of them
      const type = typeOf({ type: "object", ...schema }, place);
      return `${commentOf(schema, "  ")}  readonly ${nameOf(name)}: ${type};\n`;
    });
  const head = `${GENERATED_MARK} from version ${version} of the tracking plan. Do not edit.\nimport type { Client, TrackOptions } from "@headwater/sdk";\n`;
  return `${head}\n/** The properties of each planned event. */\nexport interface PlannedEvents {\n${events.join("")}}\n${TRACK_TYPES}`;
}
