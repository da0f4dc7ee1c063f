/** `headwater plan`: a tracking plan as files of a repository, which its CI checks. */

import { writeFileSync } from "node:fs";
import { describeViolation } from "@headwater/contract";
import { ApiFailure, type HeadwaterApi } from "../../../../packages/api/src/index.ts";
import {
  type CommandGroup,
  defineCommand,
  list,
  ORGANIZATION_OPTION,
  parsed,
  required,
  SOURCE,
  text,
  wholeNumber,
  withDefault,
} from "../../src/cli/command.ts";
import { CommandFailed, UsageError } from "../../src/cli/errors.ts";
import { HEADWATER } from "../../src/core/command-name.ts";
import { HOUR_MS } from "../../src/core/time.ts";
import { findSourceId, parseHttpUrl, remoteApi } from "../remote-service.ts";
import { type FoundViolation, findViolations, readCode } from "./check-events.ts";
import { readPlanFolder, writePlanFolder } from "./plan-folder.ts";
import { toTypes } from "./plan-types.ts";
import { type RecordedEvent, readEventLines, readRecentEvents } from "./recorded-events.ts";

const DIR_OPTION = { dir: withDefault(text("folder", "The plan's folder"), "tracking-plan") };
const TOKEN_OPTION = { "token-file": text("file", "File that holds an access token") };
const API_OPTIONS = {
  api: required(parsed("url", "The address of the running service", parseHttpUrl)),
  ...TOKEN_OPTION,
  ...ORGANIZATION_OPTION,
  ...DIR_OPTION,
};

interface ApiValues {
  readonly api: URL;
  readonly "token-file": string | undefined;
  readonly source: string;
  readonly organization: string | undefined;
}

async function openSource(values: ApiValues): Promise<{ api: HeadwaterApi; params: { sourceId: string } }> {
  const api = remoteApi(values.api, values["token-file"]);
  return { api, params: { sourceId: await findSourceId(api, values) } };
}

const pull = defineCommand({
  description: "Write a source's tracking plan to files",
  details: [
    "The folder gets plan.json, with the modes, and events/, with a JSON Schema for each event. Files of events that are no longer planned are removed.",
  ],
  positionals: SOURCE,
  options: API_OPTIONS,
  run: async ({ dir, ...values }) => {
    const { api, params } = await openSource(values);
    const { version, plan } = await api.getPlan({ params });
    const files = writePlanFolder(dir, { version, plan });
    return {
      json: { version, dir, files },
      text: `Wrote version ${version} of the plan to ${dir} (${files} files).`,
    };
  },
});

const propose = defineCommand({
  description: "Add the events that a source has received to its plan's files",
  details: [
    `The service proposes a schema for each event of its event catalogue that the plan does not have: the types that it has seen, and as required the properties that every event had. Check the files, then run \`${HEADWATER} plan push\`.`,
  ],
  positionals: SOURCE,
  options: API_OPTIONS,
  run: async ({ dir, ...values }) => {
    const { api, params } = await openSource(values);
    const { version, plan, addedEvents, leftOut } = await api.proposePlan({ params });
    writePlanFolder(dir, { version, plan });
    const added = addedEvents.length === 0 ? "" : `: ${addedEvents.join(", ")}`;
    return {
      json: { version, dir, addedEvents, leftOut },
      text: `Wrote version ${version} of the plan with ${addedEvents.length} proposed events to ${dir}${added}.`,
      ...(leftOut === 0 ? {} : { note: `The plan has no room for ${leftOut} further events.` }),
    };
  },
});

const push = defineCommand({
  description: "Save the files as a source's tracking plan",
  details: [
    "The plan is saved only if nobody has saved another version since the files were pulled or pushed.",
  ],
  positionals: SOURCE,
  options: API_OPTIONS,
  run: async ({ dir, ...values }) => {
    const { plan, version: baseVersion } = readPlanFolder(dir);
    const { api, params } = await openSource(values);
    const saved = await api.savePlan({ params, body: { plan, baseVersion } }).catch((error: unknown) => {
      if (!(error instanceof ApiFailure && error.code === "plan_changed")) throw error;
      throw new CommandFailed(
        `The source's plan has changed since version ${baseVersion} was pulled. Commit your files, run \`${HEADWATER} plan pull\`, and merge the changes.`,
      );
    });
    const { version } = saved;
    writePlanFolder(dir, { version, plan });
    const isSame = version === baseVersion;
    return {
      json: { version, dir },
      text: isSame
        ? `The source has this plan already (version ${version}).`
        : `Saved version ${version} of the plan.`,
    };
  },
});

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

function describeFoundViolation(violation: FoundViolation): string {
  const { event, events, place, clientVersion, page, planLine, codeLines } = violation;
  const times = events === 1 ? "" : ` (and ${events - 1} more)`;
  const sender = [clientVersion && `client ${clientVersion}`, page && `page ${page}`].filter(Boolean);
  const from = sender.length === 0 ? "" : ` from ${sender.join(", ")}`;
  return [
    `${place}: ${event}: ${describeViolation(violation)}${times}`,
    ...(from === "" ? [] : [`  sent${from}`]),
    ...codeLines.map((line) => `  fix the code: ${line}`),
    `  or the plan:  ${planLine}`,
  ].join("\n");
}

interface EventOptions {
  readonly events: readonly string[];
  readonly api: URL | undefined;
  readonly "token-file": string | undefined;
  readonly source: string | undefined;
  readonly organization: string | undefined;
  readonly hours: number;
}

async function readEvents(options: EventOptions): Promise<{ events: RecordedEvent[]; cut: number }> {
  const { events: paths, api: address, source, hours } = options;
  const recorded = paths.flatMap(readEventLines);
  if (address === undefined) return { events: recorded, cut: 0 };
  if (source === undefined)
    throw new UsageError("--api needs --source <id|name>, the source whose requests are checked.");
  const { api, params } = await openSource({ ...options, api: address, source });
  const recent = await readRecentEvents(api, params.sourceId, Date.now() - hours * HOUR_MS);
  return { events: [...recorded, ...recent.events], cut: recent.cut };
}

const check = defineCommand({
  description: "Check a plan's files, and events against them; exits with 1 on a violation",
  details: [
    "Without --events and --api only the files are checked. A violation names the recorded line, the line of the code that sends the event, and the line of the plan.",
    "All planned events are checked, whatever the mode of the plan is, except those whose own mode is off.",
  ],
  options: {
    events: list(
      "file",
      "Events to check: a file with an event, a batch or an attempt of the debug view as JSON in each line",
    ),
    api: parsed("url", "Check the recent requests to --source at this running service", parseHttpUrl),
    ...TOKEN_OPTION,
    source: text("id|name", "With --api: the source"),
    hours: withDefault(wholeNumber("With --api: the maximum age of the requests", { min: 1, max: 720 }), 24),
    code: withDefault(text("folder", "The folder with the code that sends the events"), "."),
    ...ORGANIZATION_OPTION,
    ...DIR_OPTION,
  },
  run: async ({ dir, code, ...options }) => {
    const folder = readPlanFolder(dir);
    const { events, cut } = await readEvents(options);
    const violations = findViolations({ folder, events, readCode: () => readCode(code) });
    const planned = folder.files.size;
    const checked = `Checked ${counted(events.length, "event")} against ${counted(planned, "planned event")}`;
    const summary = `${checked}: ${violations.length === 0 ? "no violations" : counted(violations.length, "different violation")}.`;
    return {
      json: { plannedEvents: planned, checkedEvents: events.length, cutAttempts: cut, violations },
      text: [...violations.map(describeFoundViolation), summary].join("\n"),
      ...(cut === 0
        ? {}
        : {
            note: `${cut} attempts are too long for the debug view. Some of their events were not checked.`,
          }),
      exitCode: violations.length === 0 ? 0 : 1,
    };
  },
});

const types = defineCommand({
  description: "Generate TypeScript types for `track` from a plan's files",
  details: ["The types need the @headwater/sdk package."],
  options: {
    out: text("file", "The file to write (default: standard output)"),
    ...DIR_OPTION,
  },
  run: ({ dir, out }) => {
    const { plan, version } = readPlanFolder(dir);
    const content = toTypes(plan, version);
    const events = Object.keys(plan.events).length;
    if (out === undefined) return { json: { types: content }, text: content.trimEnd() };
    writeFileSync(out, content);
    return { json: { path: out, events }, text: `Wrote the types of ${events} events to ${out}.` };
  },
});

export const plan: CommandGroup = {
  description: "Keep a source's tracking plan as files, and check events against it",
  commands: { propose, pull, push, check, types },
};
