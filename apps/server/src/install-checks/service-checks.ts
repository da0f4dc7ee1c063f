/** Checks that the service answers, and that it accepts the page's requests. */

import { ERRORS } from "@headwater/contract/errors";
import { LIMITS } from "@headwater/contract/limits";
import { HEADWATER } from "../core/command-name.ts";
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

/** Judges the service by the page's own request. Used when no test request was sent. */
function checkPageRequests({ report, service }: Evidence): CheckFinding {
  const { script, request } = report;
  if (script === "failed") {
    return wrong(
      "The client's script was not loaded.",
      `A blocker, a Content-Security-Policy or a wrong address is the cause. See the checks csp_script, api_address and blocked_by_name. To avoid blockers, proxy Headwater through your own site: \`${HEADWATER} source install ${service.sourceId ?? "<source id>"} --proxy nginx\`.`,
    );
  }
  if (request === null) return unknown("The page has not sent anything yet.");
  if (request.status === null) {
    return wrong(
      "The page's request to the service failed.",
      "A blocker, a Content-Security-Policy or the network is the cause. See the checks csp_connect, api_address and blocked_by_name.",
    );
  }
  const { status, code, attemptId } = request;
  if (status >= 300) return explainErrorAnswer(status, code);
  return attemptId
    ? ok("The service responded to the page.")
    : unknown(
        `The page's request got a ${status} response without an attemptId. It may be from another server.`,
      );
}

/** After these refusals the client opens a new session by itself. */
const RECOVERABLE = new Set(["invalid_session", "session_expired"]);

function explainErrorAnswer(status: number, code: string | null): CheckFinding {
  const response = `The page's request got a ${status} response ${code === null ? "without a Headwater error code" : `with the code ${code}`}`;
  if (status === 429 || status === 503) {
    return warning(
      `${response}. The service is not accepting requests right now. The client keeps its events and tries again.`,
      "Wait a minute and load the page again. If it continues, look at the service's log.",
    );
  }
  if (code !== null && RECOVERABLE.has(code)) return ok(`${response}. The client opens a new session.`);
  if (code === null || !(code in ERRORS) || status >= 500) {
    return wrong(
      `${response}. A proxy, a firewall or another web server responded, or the service failed.`,
      `See the check api_address, and check that the proxy in front of the service forwards /api/ingest/. \`${HEADWATER} doctor\` sends test requests to the service.`,
    );
  }
  return wrong(
    `${response}. The service refuses this page.`,
    "See the checks key, source_active and origin, and the source's debug view. If these checks are ok now, load the page again.",
  );
}

export function checkReachable(evidence: Evidence): CheckFinding {
  const { probe } = evidence.service;
  if (!probe) return checkPageRequests(evidence);
  const hint = "Check the address (BASE_URL), DNS, the certificate and the proxy in front of the service.";
  if (probe.isBusy) {
    return warning(
      `${apiBaseOf(evidence)} ${probe.apiProblem}. The service is running but not accepting requests right now.`,
      "Wait a minute and run the check again. If it continues, look at the service's log. The service is overloaded, or its storage fails.",
    );
  }
  if (probe.scriptProblem !== null) return wrong(`${scriptUrlOf(evidence)} ${probe.scriptProblem}.`, hint);
  if (probe.apiProblem !== null) return wrong(`${apiBaseOf(evidence)} ${probe.apiProblem}.`, hint);
  return ok("The client's script and the API respond.");
}

export function checkCors(evidence: Evidence): CheckFinding {
  const { report, service } = evidence;
  const { probe } = service;
  if (!probe) {
    const hasReadAnswer = report.request !== null && report.request.status !== null;
    return hasReadAnswer
      ? ok("The page was able to read the service's response.")
      : unknown("The API was not reached.");
  }
  if (probe.apiProblem !== null) return unknown("The API was not reached.");
  const base = apiBaseOf(evidence);
  if (base !== null && originOf(base) === originOf(report.url))
    return ok("The API is on the page's origin, so CORS does not apply.");
  if (probe.corsProblem === null)
    return ok("The preflight response and the response itself allow the page's origin.");
  return wrong(
    `${probe.corsProblem}.`,
    "Headwater allows every origin to read its responses, so a proxy in front of it drops or replaces the CORS headers. Make the proxy forward OPTIONS requests and Access-Control-* headers.",
  );
}

export function checkActive({ service }: Evidence): CheckFinding {
  if (service.isActive === null) return unknown("Whether the source is active is unknown.");
  if (service.isActive) return ok("The source is active.");
  return wrong(
    "The source is inactive.",
    "Activate it in its settings or with this command:",
    `${HEADWATER} source update ${service.sourceId ?? "<source id>"} --active on`,
  );
}

export function checkOrigin({ report, service }: Evidence): CheckFinding {
  const origin = originOf(report.url);
  if (service.isOriginAllowed === null) return unknown(`Whether the source allows ${origin} is unknown.`);
  if (service.isOriginAllowed) return ok(`The source allows ${origin}.`);
  return wrong(
    `The source does not allow ${origin}.`,
    `Add it to the source's allowed origins in its settings or with \`${HEADWATER} source update ${service.sourceId ?? "<source id>"} --add-origin ${origin}\`.`,
    origin,
  );
}

export function checkClock({ service }: Evidence): CheckFinding {
  const { clockAheadMs } = service;
  if (clockAheadMs === null) return unknown("The clocks could not be compared.");
  const seconds = Math.round(Math.abs(clockAheadMs) / 1_000);
  if (seconds <= LIMITS.skewToleranceSeconds) return ok("The clocks agree.");
  const message = `The clock of this device is ${seconds} s ${clockAheadMs > 0 ? "ahead of" : "behind"} the server's.`;
  return seconds > SERVER_LIMITS.unreliableSkewSeconds
    ? wrong(message, "The difference makes event times unreliable. Set the clock that is wrong.")
    : warning(
        message,
        "The service corrects event times by this difference. Set the clock that is wrong. If it is the server's, all event times are wrong.",
      );
}
