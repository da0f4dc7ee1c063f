/** Checks that the service answers and accepts requests of the page. */
import { ERRORS, LIMITS } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import {
  apiBaseOf,
  type CheckFinding,
  type Evidence,
  ok,
  originOf,
  scriptUrlOf,
  unknown,
  warning,
  wrong,
} from "./evidence.ts";

/** Used when only the page itself has sent requests. */
function checkPageRequests({ report }: Evidence): CheckFinding {
  const { script, request } = report;
  if (script === "failed") {
    return wrong(
      "The client's script was not loaded.",
      "A blocker, a Content-Security-Policy or a wrong address is the cause: see the checks csp_script, api_address and blocked_by_name. A path of your own site avoids blockers (`proxy` of the install payload).",
    );
  }
  if (request === null) return unknown("The page has not sent anything yet.");
  if (request.status === null) {
    return wrong(
      "The page's request failed.",
      "A blocker, a Content-Security-Policy or the network is the cause: see the checks csp_connect, api_address and blocked_by_name.",
    );
  }
  const { status, code, attemptId } = request;
  if (status >= 300) return explainErrorAnswer(status, code);
  return attemptId
    ? ok("The service has answered the page.")
    : unknown(`The page was answered ${status}. Without an attemptId the answer may be another server's.`);
}

/** After these refusals the client opens a new session by itself. */
const RECOVERABLE = new Set(["invalid_session", "session_expired"]);

function explainErrorAnswer(status: number, code: string | null): CheckFinding {
  const answer = `The page was answered ${status} ${code ?? "without an error code of Headwater"}`;
  if (status === 429 || status === 503) {
    return warning(
      `${answer}: the service accepts nothing for the moment. The client keeps its events and tries again.`,
      "Wait a minute and load the page again. If it continues, look at the service's log.",
    );
  }
  if (code !== null && RECOVERABLE.has(code)) return ok(`${answer}, and opens a new session.`);
  if (code === null || !(code in ERRORS) || status >= 500) {
    return wrong(
      `${answer}: a proxy, a firewall or another web server answered, or the service has a failure.`,
      "See the check api_address, and check that the proxy in front of the service forwards /api/ingest/. `headwater doctor` asks the service itself.",
    );
  }
  return wrong(
    `${answer}: the service refuses this page.`,
    "See the checks key, source_active and origin, and the source's debug view. If they are right now, load the page again.",
  );
}

export function checkReachable(evidence: Evidence): CheckFinding {
  const { reach } = evidence.service;
  if (!reach.wasRequested) return checkPageRequests(evidence);
  const hint = "Check the address (BASE_URL), DNS, the certificate and the proxy in front of the service.";
  if (reach.isBusy) {
    return warning(
      `${apiBaseOf(evidence)} ${reach.apiProblem}: the service is running and accepts nothing for the moment.`,
      "Wait a minute and run the check again. If it continues, look at the service's log: it is overloaded, or its storage fails.",
    );
  }
  if (reach.scriptProblem !== null) return wrong(`${scriptUrlOf(evidence)} ${reach.scriptProblem}.`, hint);
  if (reach.apiProblem !== null) return wrong(`${apiBaseOf(evidence)} ${reach.apiProblem}.`, hint);
  return ok("The client's script and the API answer.");
}

export function checkCors(evidence: Evidence): CheckFinding {
  const { report, service } = evidence;
  const { reach } = service;
  if (!reach.wasRequested) {
    const hasReadAnswer = report.request !== null && report.request.status !== null;
    return hasReadAnswer
      ? ok("The page was able to read the service's answer.")
      : unknown("The API was not reached.");
  }
  if (reach.apiProblem !== null) return unknown("The API was not reached.");
  const base = apiBaseOf(evidence);
  if (base !== null && originOf(base) === originOf(report.url))
    return ok("The API has the page's own origin, so CORS does not apply.");
  if (reach.corsProblem === null) return ok("The preflight and the answer allow the page's origin.");
  return wrong(
    `${reach.corsProblem}.`,
    "Headwater allows every origin to read its answers, so a proxy in front of it drops or replaces these headers. Make the proxy forward OPTIONS requests and Access-Control-* headers.",
  );
}

export function checkActive({ service }: Evidence): CheckFinding {
  if (service.isActive === null) return unknown("Whether the source is active is unknown.");
  if (service.isActive) return ok("The source is active.");
  return wrong(
    "The source is switched off.",
    "Switch it on.",
    `headwater source update ${service.sourceId ?? "<source id>"} --active on`,
  );
}

export function checkOrigin({ report, service }: Evidence): CheckFinding {
  const origin = originOf(report.url);
  if (service.isOriginAllowed === null) return unknown(`Whether the source allows ${origin} is unknown.`);
  if (service.isOriginAllowed) return ok(`The source allows ${origin}.`);
  return wrong(`The source does not allow ${origin}.`, "Add it to the source's `allowedOrigins`.", origin);
}

export function checkClock({ service }: Evidence): CheckFinding {
  const { clockAheadMs } = service;
  if (clockAheadMs === null) return unknown("The clocks could not be compared.");
  const seconds = Math.round(Math.abs(clockAheadMs) / 1_000);
  if (seconds <= LIMITS.skewToleranceSeconds) return ok("The clocks agree.");
  const message = `This clock is ${seconds} s ${clockAheadMs > 0 ? "ahead of" : "behind"} the service's.`;
  return seconds > SERVER_LIMITS.unreliableSkewSeconds
    ? wrong(
        message,
        "The difference is so large that times of events are unreliable. Correct the wrong clock.",
      )
    : warning(
        message,
        "Times of events are corrected by the difference. Correct the wrong clock, above all the server's.",
      );
}
