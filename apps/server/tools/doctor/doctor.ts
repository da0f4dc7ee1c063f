/** `headwater doctor`: fetches a page, asks the service what it would tell it, and says what is wrong, with the line to paste. */

import type { Check, PageReport } from "@headwater/contract";
import { defineCommand } from "citty";
import { JSON_FLAG } from "../../src/cli/arguments.ts";
import { UsageError } from "../../src/cli/failure.ts";
import type { Report } from "../../src/cli/report.ts";
import { processEnvironment, readConfig } from "../../src/config/config.ts";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import { diagnose } from "../../src/doctor/diagnose.ts";
import {
  apiBaseOf,
  type Evidence,
  NOT_ASKED,
  originOf,
  type Service,
  scriptUrlOf,
} from "../../src/doctor/evidence.ts";
import { createGuard } from "./address-guard.ts";
import { type Ask, createAsk } from "./ask.ts";
import { asReach, probe, scriptProblem } from "./probe.ts";
import { type Visited, visit } from "./visit.ts";

function readAddress(text: string, name: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  throw new UsageError(
    `${name} must be an address such as https://shop.example/, not ${JSON.stringify(text)}.`,
  );
}

function reportOf({ url, snippets, policies }: Visited, now: number): PageReport {
  const sentAt = new Date(now).toISOString();
  return { url, snippets, policies, script: "unknown", request: null, sentAt };
}

/**
 * The right key is asked about source and origin, the page's own about itself: a page with another key than the right
 * one is told both.
 */
async function askService(evidence: Evidence, clock: () => number, ask: Ask): Promise<Service> {
  const { report, service } = evidence;
  const base = apiBaseOf(evidence);
  const script = scriptUrlOf(evidence);
  if (base === null || script === null) return service;
  const origin = originOf(report.url);
  const found = report.snippets[0]?.publicKey ?? service.publicKey;
  const ofRight = await probe(base, service.publicKey, origin, clock, ask);
  const ofFound = found === service.publicKey ? ofRight : await probe(base, found, origin, clock, ask);
  const isBundled = report.snippets[0]?.kind === "bundle" && report.snippets[0].scriptUrl === null;
  return {
    ...service,
    rightKeyState: ofRight.keyState,
    keyState: ofFound.keyState,
    isActive: ofRight.isActive,
    isOriginAllowed: ofRight.isOriginAllowed,
    clockAheadMs: ofRight.clockAheadMs,
    reach: asReach(ofRight, isBundled ? null : await scriptProblem(script, ask)),
  };
}

const SIGNS: Record<Check["status"], string> = {
  ok: "ok     ",
  warning: "warning",
  wrong: "WRONG  ",
  unknown: "?      ",
};

function lines({ check, status, message, hint, paste }: Check): string[] {
  const about = status === "wrong" || status === "warning";
  const indent = " ".repeat(SIGNS[status].length + 2);
  return [
    `${SIGNS[status]}  ${check}: ${message}`,
    ...(about && hint !== null ? [`${indent}${hint}`] : []),
    ...(about && paste !== null ? [`${indent}  ${paste}`] : []),
  ];
}

export const doctor = defineCommand({
  meta: {
    description:
      "What is wrong with the install in a page, and the line to paste. It exits 1 when something is, or when the service could not be asked. The page's scripts do not run; the service shows one refused attempt of the version headwater-doctor, and counts nothing",
  },
  args: {
    url: { type: "positional", required: true, description: "The page, as its visitors open it" },
    key: { type: "string", required: true, valueHint: "pk_…", description: "The source's public key" },
    api: {
      type: "string",
      valueHint: "url",
      description: "The service's address; default: BASE_URL, else the one that the page names",
    },
    ...JSON_FLAG,
  },
  run: async ({ args }): Promise<Report> => {
    const start = readAddress(args.url, "URL");
    const { BASE_URL, INGEST_ALIAS } = readConfig(processEnvironment());
    const api = args.api === undefined ? BASE_URL : readAddress(args.api, "--api");
    const deadline = AbortSignal.timeout(SERVER_LIMITS.doctorDeadlineMs);
    const guard = await createGuard([new URL(start), ...(api === null ? [] : [new URL(api)])]);
    const ask = createAsk(guard, deadline);
    const visited = await visit(start, ask);
    const service: Service = {
      sourceId: null,
      publicKey: args.key,
      apiBaseUrl: api?.replace(/\/+$/, "") ?? null,
      alias: INGEST_ALIAS,
      requireConsent: null,
      respectGpc: null,
      rightKeyState: null,
      keyState: null,
      isActive: null,
      isOriginAllowed: null,
      reach: NOT_ASKED,
      clockAheadMs: null,
    };
    const { problem: pageProblem, isPolicyLeftOut } = visited;
    const evidence = { report: reportOf(visited, Date.now()), pageProblem, isPolicyLeftOut, service };
    const verification = diagnose({ ...evidence, service: await askService(evidence, Date.now, ask) });
    const { checks, isWorking } = verification;
    const wrong = checks.filter(({ status }) => status === "wrong").length;
    const found = `${wrong} of ${checks.length} checks found something wrong.`;
    const nothing = isWorking ? "Nothing is wrong." : "The service was not asked: give --api <its address>.";
    const summary = wrong > 0 ? found : nothing;
    // what a page says of itself may hold what moves a terminal's cursor
    const shown = checks.flatMap(lines).map((line) => line.replace(/\p{Cc}/gu, "\uFFFD"));
    const text = [...shown, "", summary].join("\n");
    return { json: verification, text, exitCode: isWorking ? 0 : 1 };
  },
});
