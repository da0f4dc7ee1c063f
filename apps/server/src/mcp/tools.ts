/**
 * The tools of coding agents. Each tool is one operation. Its name, description, arguments and permission come from the
 * contract's table.
 */
import {
  INSTALL_EXAMPLES,
  INSTALL_FRAMEWORKS,
  InstallFramework,
  InstallPayload,
  type Operation,
  type OperationId,
  operation,
} from "@headwater/contract";
import type { Tool as ProtocolTool } from "@modelcontextprotocol/server";
import Type, { type TProperties, type TSchema } from "typebox";
import { type Check, compile } from "../core/validate.ts";
import type { InnerRequest } from "../http/handler.ts";

type InputSchema = ProtocolTool["inputSchema"];
export type ToolArguments = Readonly<Record<string, unknown>>;

interface ToolEntry {
  readonly id: OperationId;
  /** Advice for agents, in addition to the operation's summary. */
  readonly usage?: string;
  /** Arguments that are not sent: they choose a part of the answer. */
  readonly choices?: TProperties;
  readonly defaults?: ToolArguments;
  /** The part of the answer that an agent needs. */
  readonly shorten?: (answer: unknown, given: ToolArguments) => unknown;
}

export interface Tool extends ToolEntry {
  readonly name: string;
  readonly description: string;
  readonly isReadOnly: boolean;
  readonly operation: Operation;
  readonly inputSchema: InputSchema;
  readonly check: Check<TSchema>;
}

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === "object" && Object.keys(value).length === 0);

/** Removes members that are null or empty, and those in `names`, at any depth. */
function omitMembers(value: unknown, names: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((item) => omitMembers(item, names));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value)
    .filter(([name]) => !names.includes(name))
    .map(([name, member]): [string, unknown] => [name, omitMembers(member, names)]);
  return Object.fromEntries(kept.filter(([, member]) => !isEmpty(member)));
}

const withoutEmpty = (answer: unknown) => omitMembers(answer);

/** Members of the debug view that are long, or that an agent has already. */
const LONG_IN_DEBUG = ["source", "limits", "raw", "normalized", "userAgent", "traceId", "sessionId"];

const isInstallPayload = compile(InstallPayload);

function chooseExample(answer: unknown, { framework }: ToolArguments): unknown {
  const chosen = INSTALL_FRAMEWORKS.find((name) => name === framework);
  // a service of another version may answer with other members
  if (chosen === undefined || !isInstallPayload(answer)) return answer;
  const { publicKey, apiBaseUrl, debugUrl, csp } = answer;
  return { publicKey, apiBaseUrl, debugUrl, csp, paste: INSTALL_EXAMPLES[chosen](answer) };
}

const ENTRIES: readonly ToolEntry[] = [
  { id: "listOrganizations", usage: "A workspace is called an organization here.", shorten: withoutEmpty },
  {
    id: "listSources",
    usage:
      "A source is one tracked application. To see which ones have a problem, give order `status`: failing sources are the first.",
    defaults: { limit: 50 },
    shorten: withoutEmpty,
  },
  {
    id: "createSource",
    usage:
      "Give the origins of the application in allowedOrigins, the development server's too, such as http://localhost:5173.",
    shorten: withoutEmpty,
  },
  {
    id: "updateSource",
    usage: "A list that you send, such as allowedOrigins, replaces the stored list: send every item.",
    shorten: withoutEmpty,
  },
  {
    id: "getInstall",
    usage:
      "Put the text of `paste` into the application: html belongs in the head of the page, and every other example begins with the name of its file. If the application has a Content-Security-Policy, add what `csp` names.",
    choices: { framework: InstallFramework },
    defaults: { framework: "html" },
    shorten: chooseExample,
  },
  {
    id: "verifyInstall",
    usage:
      'In `report`, send what you found in the page; send "unknown" or null for what you did not look at. A check with the status `wrong` includes a hint on how to fix the problem.',
    shorten: withoutEmpty,
  },
  {
    id: "getDebug",
    usage:
      "Call it again after you have opened a page of the application. The newest request is first. `accepted` is the number of events that are stored. A request that was refused has a code, a message and a hint.",
    defaults: { limit: 10 },
    shorten: (answer) => omitMembers(answer, LONG_IN_DEBUG),
  },
  {
    id: "queryStats",
    usage:
      'An event is counted a few seconds after it was accepted; get_debug shows it at once. A headless browser is a bot: give include {"bots": true} to count it.',
  },
];

/** The tool name of an operation: `listSources` becomes `list_sources`. */
const toolNameOf = (id: string) => id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Agents get no recursive schema, because some of them reject it. The operation checks the whole value. */
function withoutRecursion(key: string, value: unknown): unknown {
  if (key === "$id") return undefined;
  return typeof value === "object" && value !== null && "$ref" in value ? { type: "object" } : value;
}

const propertiesOf = (schema: TSchema | undefined): TProperties =>
  Type.IsObject(schema) ? schema.properties : {};

const paramsOf = ({ path }: Operation): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);

function inputSchemaOf(called: Operation, { choices, defaults = {} }: ToolEntry): InputSchema {
  const properties: TProperties = {
    ...propertiesOf(called.query),
    ...propertiesOf(called.body),
    // after the body, which may have an optional member with the same name
    ...Object.fromEntries(paramsOf(called).map((name) => [name, Type.String({ minLength: 1 })])),
    ...choices,
  };
  const optional = Object.entries(properties).map(([name, schema]) =>
    name in defaults ? [name, Type.Optional(schema)] : [name, schema],
  );
  const schema = Type.Object(Object.fromEntries(optional), { additionalProperties: false });
  return JSON.parse(JSON.stringify(schema, withoutRecursion));
}

function toTool(entry: ToolEntry): Tool {
  const { id, usage } = entry;
  const called = operation(id);
  const { summary, access } = called;
  const inputSchema = inputSchemaOf(called, entry);
  const needed = access.includes(":") ? `Needs the ${access} permission.` : "";
  return {
    ...entry,
    name: toolNameOf(id),
    description: [`${summary}.`, usage, needed].filter(Boolean).join(" "),
    isReadOnly: !access.endsWith(":write"),
    operation: called,
    inputSchema,
    check: compile(inputSchema),
  };
}

export const TOOLS: readonly Tool[] = ENTRIES.map(toTool);

/** The request of a tool's operation. The arguments are valid. */
export function toRequest(
  { operation: called, choices = {}, defaults }: Tool,
  given: ToolArguments,
): InnerRequest {
  const sent = Object.entries({ ...defaults, ...given }).filter(([name]) => !(name in choices));
  const inPath = new Set(paramsOf(called));
  const asText = (entries: typeof sent) =>
    Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
  const rest = sent.filter(([name]) => !inPath.has(name));
  return {
    operation: called,
    params: asText(sent.filter(([name]) => inPath.has(name))),
    query: called.body ? {} : asText(rest),
    body: called.body ? Object.fromEntries(rest) : undefined,
  };
}
