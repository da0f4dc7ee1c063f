/** Does the service answer, and does it let the page in? */

import { ERRORS, LIMITS } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import {
  apiBaseOf,
  type Evidence,
  type Finding,
  ok,
  originOf,
  scriptUrlOf,
  unknown,
  warning,
  wrong,
} from "./evidence.ts";

/** What the page itself saw, where nobody else asked. */
function seenByPage({ report }: Evidence): Finding {
  const { script, request } = report;
  if (script === "failed") {
    return wrong(
      "The client's script did not come.",
      "A blocker, a Content-Security-Policy or a wrong address: look at the checks csp_script, api_address and blocked_by_name; a path of your own site mends the first (`proxy` of the install payload).",
    );
  }
  if (request === null) return unknown("The page has not sent anything yet.");
  if (request.status === null) {
    return wrong(
      "The page's request did not come through.",
      "A blocker, a Content-Security-Policy or the network: look at the checks csp_connect, api_address and blocked_by_name.",
    );
  }
  const { status, code, attemptId } = request;
  return status < 300 ? tookOfPage(status, attemptId) : answeredPage(status, code);
}

/** Refusals that the client recovers from by itself: it opens a new session. */
const PASSING = new Set(["invalid_session", "session_expired"]);

const tookOfPage = (status: number, attemptId: string | null | undefined): Finding =>
  attemptId
    ? ok("The service has answered the page.")
    : unknown(`The page was answered ${status}; without the answer's attemptId it may be another server's.`);

function answeredPage(status: number, code: string | null): Finding {
  const answer = `The page was answered ${status} ${code ?? "without a code of the service"}`;
  if (status === 429 || status === 503) {
    return warning(
      `${answer}: nothing is taken just now. The client keeps its events and asks again.`,
      "Wait a minute and load the page again. If it goes on, look at the service's log.",
    );
  }
  if (code !== null && PASSING.has(code)) return ok(`${answer}, and opens a new session.`);
  if (code === null || !(code in ERRORS) || status >= 500) {
    return wrong(
      `${answer}: that is a proxy, a firewall or another web server, or the service in trouble.`,
      "Look at the check api_address and at what is in front of the service: it has to pass /api/ingest/ on. `headwater doctor` asks the service itself.",
    );
  }
  return wrong(
    `${answer}: the service takes nothing of this page.`,
    "Look at the checks key, source_active and origin, and at the source's debug view. If they are right by now, load the page again.",
  );
}

export function reachable(evidence: Evidence): Finding {
  const { reach } = evidence.service;
  if (!reach.wasAsked) return seenByPage(evidence);
  const hint =
    "Check the address, DNS, the certificate and the proxy in front of the service; BASE_URL is its address.";
  if (reach.isBusy) {
    return warning(
      `${apiBaseOf(evidence)} ${reach.apiProblem}: it is there, and takes nothing just now.`,
      "Wait a minute and ask again. If it goes on, look at its log: too much is sent to it, or its storage is in trouble.",
    );
  }
  if (reach.scriptProblem !== null) return wrong(`${scriptUrlOf(evidence)} ${reach.scriptProblem}.`, hint);
  if (reach.apiProblem !== null) return wrong(`${apiBaseOf(evidence)} ${reach.apiProblem}.`, hint);
  return ok("The client's script and the API answer.");
}

export function cors(evidence: Evidence): Finding {
  const { report, service } = evidence;
  const { reach } = service;
  const isReadable = !reach.wasAsked && report.request !== null && report.request.status !== null;
  if (isReadable) return ok("The page could read the service's answer.");
  if (!reach.wasAsked || reach.apiProblem !== null) return unknown("The API was not reached.");
  const base = apiBaseOf(evidence);
  if (base !== null && originOf(base) === originOf(report.url))
    return ok("The API has the page's own origin, where a browser asks for no CORS.");
  if (reach.corsProblem === null) return ok("The preflight and the answer let the page's origin in.");
  return wrong(
    `${reach.corsProblem}.`,
    "The service lets every origin read its answers: a proxy in front of it drops or answers these headers; have it pass OPTIONS requests and Access-Control-* headers on.",
  );
}

export function sourceActive({ service }: Evidence): Finding {
  if (service.isActive === null) return unknown("Whether the source is switched on was not told.");
  if (service.isActive) return ok("The source is switched on.");
  return wrong(
    "The source is switched off.",
    "Switch it on.",
    `headwater source update ${service.sourceId ?? "<source id>"} --active on`,
  );
}

export function origin({ report, service }: Evidence): Finding {
  const from = originOf(report.url);
  if (service.isOriginAllowed === null) return unknown(`Whether ${from} is let in was not told.`);
  if (service.isOriginAllowed) return ok(`The source lets ${from} in.`);
  return wrong(`The source does not let ${from} in.`, "Add it to the source's `allowedOrigins`.", from);
}

export function clock({ service }: Evidence): Finding {
  const { clockAheadMs } = service;
  if (clockAheadMs === null) return unknown("The clocks could not be compared.");
  const seconds = Math.round(Math.abs(clockAheadMs) / 1_000);
  if (seconds <= LIMITS.skewToleranceSeconds) return ok("The clocks agree.");
  const message = `This clock is ${seconds} s ${clockAheadMs > 0 ? "ahead of" : "behind"} the service's.`;
  const mended = "Times of events are corrected by it. Set the clock that is wrong, the server's above all.";
  return seconds > SERVER_LIMITS.unreliableSkewSeconds
    ? wrong(message, "By so much, times of events cannot be trusted: set the clock that is wrong.")
    : warning(message, mended);
}
