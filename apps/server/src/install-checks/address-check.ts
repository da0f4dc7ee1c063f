/** Checks that the page sends to the right service. */
import {
  apiBaseOf,
  type CheckFinding,
  type Evidence,
  ok,
  originOf,
  renderClientUrl,
  scriptUrlOf,
  unknown,
  wrong,
} from "./evidence.ts";
import { hintForNextJs, renderScriptUrl, renderSetting } from "./paste.ts";

const LOCAL_HOST = /^(?:localhost|.+\.localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0)$/;
const isLocal = (url: string): boolean => LOCAL_HOST.test(URL.parse(url)?.hostname ?? "");

function compareAddress(evidence: Evidence): CheckFinding {
  const { report, service } = evidence;
  const expected = service.apiBaseUrl;
  const base = apiBaseOf(evidence);
  if (base === null) return unknown("The address that the page sends to is unknown.");
  if (isLocal(base) && !isLocal(report.url)) {
    return wrong(
      `The page sends to ${base}, which is each visitor's own machine.`,
      "Set BASE_URL to the address that visitors reach, and paste the snippet again.",
    );
  }
  if (base.startsWith("http://") && report.url.startsWith("https://") && !isLocal(base)) {
    return wrong(
      `The page is loaded over https but sends to ${base} over http, which browsers block.`,
      "Serve the API over https and set BASE_URL to that address.",
    );
  }
  const [found] = report.snippets;
  if (!found) return unknown(`The page has no snippet, so the test requests went to ${base}.`);
  const isExpected = expected === null || base === expected || base === `${expected}${service.alias ?? ""}`;
  const answersBelow = base.startsWith(`${expected}/`) && service.probe?.apiProblem === null;
  if (isExpected || answersBelow) return ok(`The page sends to ${base}.`);
  const isFirstParty = originOf(base) === originOf(report.url);
  if (isFirstParty) return ok(`The page sends to ${base}, a path of its own site.`);
  return wrong(
    `The page sends to ${base}, not to ${expected}.`,
    `Change the snippet to send to ${expected}.${hintForNextJs(found, "src and data-api")}`,
  );
}

/**
 * The evidence with the expected address in place of a wrong one, so that the policy checks do not suggest to allow the
 * wrong address. The same evidence when the address is right or the expected one is unknown.
 */
export function withExpectedAddress(evidence: Evidence): Evidence {
  const { report, service } = evidence;
  const [found, ...others] = report.snippets;
  const base = apiBaseOf(evidence);
  const expected = service.apiBaseUrl;
  if (!found || expected === null || base === expected || compareAddress(evidence).status !== "wrong")
    return evidence;
  const isScriptBelowBase = found.scriptUrl !== null && scriptUrlOf(evidence)?.startsWith(`${base}/`);
  const scriptUrl = isScriptBelowBase ? renderClientUrl(expected, evidence) : found.scriptUrl;
  return {
    ...evidence,
    report: { ...report, snippets: [{ ...found, scriptUrl, apiBaseUrl: expected }, ...others] },
  };
}

export function checkApiAddress(evidence: Evidence): CheckFinding {
  const finding = compareAddress(evidence);
  const [found] = evidence.report.snippets;
  const [corrected] = withExpectedAddress(evidence).report.snippets;
  if (!found || !corrected || found === corrected) return finding;
  const { scriptUrl, apiBaseUrl } = corrected;
  const hasOtherScript = scriptUrl !== null && scriptUrl !== found.scriptUrl;
  const lines = [
    ...(hasOtherScript ? [renderScriptUrl(found, scriptUrl)] : []),
    renderSetting(found, "api", apiBaseUrl ?? ""),
  ];
  return { ...finding, paste: lines.join(" ") };
}
