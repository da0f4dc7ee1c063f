/** `headwater doctor`: fetches a page, checks the install in it, and prints what is wrong with the line to paste. */
import type { InstallCheck } from "@headwater/contract";
import { type Command, defineCommand, required, text } from "../../src/cli/command.ts";
import { processEnvironment, readConfig } from "../../src/config/config.ts";
import { createAddressGuard } from "../../src/install-checks/address-guard.ts";
import { runDoctor } from "../../src/install-checks/doctor.ts";
import { toUnknownService } from "../../src/install-checks/evidence.ts";
import { parseHttpUrl } from "../remote-service.ts";

/** Time of a whole run, however many scripts the page has. */
const DOCTOR_DEADLINE_MS = 60_000;

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
  if (problems.length > 0) return problems.join(" ");
  const warnings = checks.filter(({ status }) => status === "warning").length;
  if (warnings === 0) return "Everything works.";
  return `It works, with ${warnings} warning${warnings === 1 ? "" : "s"} above.`;
}

export const doctor: Command = defineCommand({
  description: "Check the installation of Headwater on a page",
  details: [
    "Exits with 1 when a check fails or the service cannot be reached.",
    "The page's scripts do not run. The doctor sends one request that the service refuses, so nothing is counted. The debug view marks it as a test.",
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
    const apiBaseUrl = api?.replace(/\/+$/, "") ?? null;
    const verification = await runDoctor({
      pageUrl: start,
      service: toUnknownService({ publicKey: key, apiBaseUrl, alias: INGEST_ALIAS }),
      guard,
      deadline: AbortSignal.timeout(DOCTOR_DEADLINE_MS),
      clock: Date.now,
    });
    const { checks, isWorking } = verification;
    // text of the page may contain control characters that move the cursor of a terminal
    const lines = checks.flatMap(renderCheck).map((line) => line.replace(/\p{Cc}/gu, "\uFFFD"));
    const text = [...lines, "", summarize(checks)].join("\n");
    return { json: verification, text, exitCode: isWorking ? 0 : 1 };
  },
});
