/** `headwater source`: the sources of a workspace, one for each tracked application. */
import {
  SOURCE_LIST_STATUSES,
  SOURCE_ORDERS,
  type Source,
  type SourceWithHealth,
  UpdateSourceBody,
} from "@headwater/contract";
import { HEADWATER } from "../../core/command-name.ts";
import { Refusal } from "../../core/refusal.ts";
import { compile } from "../../core/validate.ts";
import { listSources } from "../../debug/source-list.ts";
import { createSource, updateSource } from "../../sources/routes.ts";
import { callOperation } from "../api-call.ts";
import {
  choice,
  defineCommand,
  list as listOption,
  ORGANIZATION_OPTION,
  required,
  SOURCE,
  text,
  withDefault,
} from "../command.ts";
import { UsageError } from "../errors.ts";
import { findSource } from "../find-named.ts";
import { withWorkspace } from "../ledger-access.ts";
import { tableOr, toMinute } from "../report.ts";
import { installSource } from "./source-install.ts";
import {
  buildSourceChange,
  describeSource,
  FRAMEWORK_HELP,
  isAnyGiven,
  SOURCE_OPTIONS,
} from "./source-options.ts";

function describeNextStep({ sourceId, allowedOrigins }: Source): string {
  const install = `Run \`${HEADWATER} source install ${sourceId}\` to print what to paste into the application.`;
  if (allowedOrigins.length > 0) return install;
  return `No browser may send yet, because no --origin was given. Run \`${HEADWATER} source update ${sourceId} --add-origin https://…\` to allow one. ${install}`;
}

const create = defineCommand({
  description: "Create a source and its public key",
  options: {
    name: required(text("text", "The source's name")),
    origin: listOption("origin", "An allowed origin, such as https://example.com or https://*.example.com"),
    framework: text("name", FRAMEWORK_HELP),
    slug: text("text", "The source's name in URLs (default: derived from --name)"),
    ...ORGANIZATION_OPTION,
  },
  run: ({ organization, name, origin, framework, slug }) =>
    withWorkspace(organization, async (access) => {
      const { organizationId } = access;
      const body = {
        organizationId,
        name,
        allowedOrigins: [...origin],
        ...(framework === undefined ? {} : { frameworkHint: framework }),
        ...(slug === undefined ? {} : { slug }),
      };
      const created = await callOperation(access, "createSource", createSource, { body });
      return { json: created, text: describeSource(created), note: describeNextStep(created) };
    }),
});

const toRow = ({ sourceId, name, publicKey, health, lastEventAt, allowedOrigins }: SourceWithHealth) => [
  sourceId,
  name,
  publicKey,
  health.status === "failing" && health.topCode !== null ? `failing: ${health.topCode}` : health.status,
  toMinute(lastEventAt) ?? "none yet",
  String(health.last24h?.accepted ?? 0),
  String(health.last24h?.failed ?? 0),
  allowedOrigins.join(", ") || "none",
];
const LIST_HEAD = [
  "id",
  "name",
  "public key",
  "status",
  "last event",
  "events 24 h",
  "refused 24 h",
  "origins",
];

const list = defineCommand({
  description: "List the sources of a workspace with their status and the counts of the last 24 hours",
  options: {
    search: text("text", "Only sources whose name, slug, origins, id or key contain it"),
    status: choice(SOURCE_LIST_STATUSES, "Only sources with this status"),
    order: withDefault(choice(SOURCE_ORDERS, "The order; status: failing first"), "created"),
    ...ORGANIZATION_OPTION,
  },
  run: ({ organization, search, status, order }) =>
    withWorkspace(organization, async (access) => {
      // a running service writes its counters within a second
      const handler = listSources({ ledger: access.ledger, recorder: { flush: async () => undefined } });
      const { organizationId } = access;
      const query = { organizationId, order, ...(search && { search }), ...(status && { status }) };
      const { sources, statuses } = await callOperation(access, "listSources", handler, { query });
      const whenEmpty =
        search || status
          ? "No source matches."
          : `No sources yet. Run \`${HEADWATER} source create --name Shop --origin https://shop.example\` to create one.`;
      return { json: { sources, statuses }, text: tableOr(whenEmpty, LIST_HEAD, sources.map(toRow)) };
    }),
});

const update = defineCommand({
  description: "Change a source. Only the fields whose options are given change",
  positionals: SOURCE,
  options: { ...SOURCE_OPTIONS, ...ORGANIZATION_OPTION },
  run: ({ source: given, organization, ...options }) => {
    if (!isAnyGiven(options)) throw new UsageError("Nothing to change: give at least one option.");
    return withWorkspace(organization, async (access) => {
      const source = await findSource(access, given);
      const { organizationId, allowedOrigins } = source;
      const body = { organizationId, ...buildSourceChange(options, allowedOrigins) };
      const check = compile(UpdateSourceBody);
      if (!check(body)) throw new Refusal("invalid_payload", { issues: check.issues(body) });
      const inWorkspace = { ...access, organizationId };
      const updated = await callOperation(inWorkspace, "updateSource", updateSource, { source, body });
      return { json: updated, text: describeSource(updated) };
    });
  },
});

export const source = {
  description: "Manage sources",
  commands: { create, list, update, install: installSource },
};
