/** `headwater doctor`: fetches a page, checks the install in it, and prints what is wrong with the line to paste. */
import type { InstallCheck, PageReport } from "@headwater/contract";
import { type Command, defineCommand, required, text } from "../../src/cli/command.ts";
import { processEnvironment, readConfig } from "../../src/config/config.ts";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import { diagnose } from "../../src/install-checks/diagnose.ts";
import {
  apiBaseOf,
  type Evidence,
  NOT_PROBED,
  originOf,
  type ServiceEvidence,
  scriptUrlOf,
} from "../../src/install-checks/evidence.ts";
import { parseHttpUrl } from "../remote-service.ts";
import { createAddressGuard } from "./address-guard.ts";
import { type FetchedPage, fetchPage } from "./fetch-page.ts";
import { probeApi, probeScript, toServiceProbe } from "./probe.ts";
import { createSender, type SendRequest } from "./send-request.ts";

function toReport({ url, snippets, policies }: FetchedPage, now: number): PageReport {
  const sentAt = new Date(now).toISOString();
  return { url, snippets, policies, script: "unknown", request: null, sentAt };
}

/**
 * Asks the service as the page would. The request with the key of --key decides about the source and the origin. If the page
 * has a different key, another request checks that key.
 */
async function probeService(evidence: Evidence, send: SendRequest): Promise<ServiceEvidence> {
  const { report, service } = evidence;
  const apiBaseUrl = apiBaseOf(evidence);
  const scriptUrl = scriptUrlOf(evidence);
  if (apiBaseUrl === null || scriptUrl === null) return service;
  const [snippet] = report.snippets;
  const origin = originOf(report.url);
  const clock = Date.now;
  const keyInPage = snippet?.publicKey ?? service.publicKey;
  const expected = await probeApi({ apiBaseUrl, publicKey: service.publicKey, origin, clock, send });
  const found =
    keyInPage === service.publicKey
      ? expected
      : await probeApi({ apiBaseUrl, publicKey: keyInPage, origin, clock, send });
  const isBundled = snippet?.kind === "bundle" && snippet.scriptUrl === null;
  return {
    ...service,
    expectedKeyState: expected.keyState,
    pageKeyState: found.keyState,
    isActive: expected.isActive,
    isOriginAllowed: expected.isOriginAllowed,
    clockAheadMs: expected.clockAheadMs,
    probe: toServiceProbe(expected, isBundled ? null : await probeScript(scriptUrl, send)),
  };
}

const LABELS: Record<InstallCheck["status"], string> = {
  ok: "ok     ",
  warning: "warning",
  wrong: "WRONG  ",
  unknown: "?      ",
};

function renderCheck({ check, status, message, hint, paste }: InstallCheck): string[] {
  const needsAction = status === "wrong" || status === "warning";
  const indent = " ".repeat(LABELS[status].length + 2);
  return [
    `${LABELS[status]}  ${check}: ${message}`,
    ...(needsAction && hint !== null ? [`${indent}${hint}`] : []),
    ...(needsAction && paste !== null ? [`${indent}  ${paste}`] : []),
  ];
}

const NOT_CHECKED = "The service was not checked, because its address is unknown. Give it with --api.";

function summarize(checks: readonly InstallCheck[]): string {
  const failed = checks.filter(({ status }) => status === "wrong").length;
  const isServiceUnchecked = checks.some(
    ({ check, status }) => check === "reachable" && status === "unknown",
  );
  const problems = [
    ...(failed > 0 ? [`${failed} of ${checks.length} checks failed.`] : []),
    ...(isServiceUnchecked ? [NOT_CHECKED] : []),
  ];
  return problems.length > 0 ? problems.join(" ") : "Everything works.";
}

export const doctor: Command = defineCommand({
  description: "Check the installation of Headwater on a page",
  details: [
    "Exits with 1 when a check fails or the service cannot be reached.",
    "The page's scripts do not run. The doctor sends one request that the service refuses, so nothing is counted. The debug view shows it with the SDK version headwater-doctor.",
  ],
  positionals: { url: "The page, at the address that its visitors open" },
  options: {
    key: required(text("pk_…", "The source's public key")),
    api: text("url", "Address of the service (default: BASE_URL, or else the address in the page's snippet)"),
  },
  run: async ({ url, key, api: givenApi }) => {
    const start = parseHttpUrl(url, "<url>").href;
    const { BASE_URL, INGEST_ALIAS } = readConfig(processEnvironment());
    const api = givenApi === undefined ? BASE_URL : parseHttpUrl(givenApi, "--api").href;
    const guard = await createAddressGuard([new URL(start), ...(api === null ? [] : [new URL(api)])]);
    const send = createSender(guard, AbortSignal.timeout(SERVER_LIMITS.doctorDeadlineMs));
    const page = await fetchPage(start, send);
    const evidence: Evidence = {
      report: toReport(page, Date.now()),
      pageProblem: page.problem,
      hasUnreadPolicy: page.hasUnreadPolicy,
      service: {
        sourceId: null,
        publicKey: key,
        apiBaseUrl: api?.replace(/\/+$/, "") ?? null,
        alias: INGEST_ALIAS,
        requireConsent: null,
        respectGpc: null,
        expectedKeyState: null,
        pageKeyState: null,
        isActive: null,
        isOriginAllowed: null,
        probe: NOT_PROBED,
        clockAheadMs: null,
      },
    };
    const verification = diagnose({ ...evidence, service: await probeService(evidence, send) });
    const { checks, isWorking } = verification;
    // text of the page may contain control characters that move the cursor of a terminal
    const lines = checks.flatMap(renderCheck).map((line) => line.replace(/\p{Cc}/gu, "\uFFFD"));
    const text = [...lines, "", summarize(checks)].join("\n");
    return { json: verification, text, exitCode: isWorking ? 0 : 1 };
  },
});
