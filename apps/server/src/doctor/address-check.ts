/** Does the page speak to the right service, and what is the page like once it does? */
import {
  apiBaseOf,
  type Evidence,
  type Finding,
  ok,
  originOf,
  type Reach,
  scriptUrlOf,
  unknown,
  wrong,
} from "./evidence.ts";
import { hintOfNext, scriptLine, settingLine } from "./paste.ts";

const LOCAL = /^(?:localhost|.+\.localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0)$/;
const isLocal = (url: string): boolean => LOCAL.test(URL.parse(url)?.hostname ?? "");

const answers = ({ wasAsked, apiProblem }: Reach): boolean => wasAsked && apiProblem === null;

function judge(evidence: Evidence): Finding {
  const { report, service } = evidence;
  const expected = service.apiBaseUrl;
  const base = apiBaseOf(evidence);
  if (base === null) return unknown("Where the page sends to is not known.");
  if (isLocal(base) && !isLocal(report.url)) {
    return wrong(
      `The page sends to ${base}, which is each visitor's own machine.`,
      "Set BASE_URL to the address that visitors reach, and paste the snippet anew.",
    );
  }
  if (base.startsWith("http://") && report.url.startsWith("https://") && !isLocal(base)) {
    return wrong(
      `The page comes by https and sends to ${base} by http, which browsers block.`,
      "Serve the API by https and set BASE_URL to that address.",
    );
  }
  const [found] = report.snippets;
  if (!found) return unknown(`Without a snippet, ${base} was asked.`);
  const isRight = expected === null || base === expected || base === `${expected}${service.alias ?? ""}`;
  const answersBelow = base.startsWith(`${expected}/`) && answers(service.reach);
  if (isRight || answersBelow) return ok(`The page sends to ${base}.`);
  const isFirstParty = originOf(base) === originOf(report.url);
  if (isFirstParty) return ok(`The page sends to ${base}, a path of its own site.`);
  return wrong(
    `The page sends to ${base}, and not to ${expected}.`,
    `Put the service's address in.${hintOfNext(found, "src and data-api")}`,
  );
}

/**
 * The page as it will be when it has the service's address in place of a wrong one: the other checks look at that one,
 * lest they let the wrong address in. Where the address is right, or the right one is not known, the page as it is.
 */
export function withRightAddress(evidence: Evidence): Evidence {
  const { report, service } = evidence;
  const [found, ...others] = report.snippets;
  const base = apiBaseOf(evidence);
  const right = service.apiBaseUrl;
  if (!found || right === null || base === right || judge(evidence).status !== "wrong") return evidence;
  const isScriptThere = found.scriptUrl !== null && scriptUrlOf(evidence)?.startsWith(`${base}/`);
  const scriptUrl = isScriptThere ? `${right}/sdk/v2.js` : found.scriptUrl;
  return {
    ...evidence,
    report: { ...report, snippets: [{ ...found, scriptUrl, apiBaseUrl: right }, ...others] },
  };
}

export function apiAddress(evidence: Evidence): Finding {
  const finding = judge(evidence);
  const [found] = evidence.report.snippets;
  const [mended] = withRightAddress(evidence).report.snippets;
  if (!found || !mended || found === mended) return finding;
  const { scriptUrl, apiBaseUrl } = mended;
  const isElsewhere = scriptUrl !== null && scriptUrl !== found.scriptUrl;
  const lines = [
    ...(isElsewhere ? [scriptLine(found, scriptUrl)] : []),
    settingLine(found, "api", apiBaseUrl ?? ""),
  ];
  return { ...finding, paste: lines.join(" ") };
}
