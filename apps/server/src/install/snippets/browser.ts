/** The browser snippet, and the parts of it that the framework snippets share. */
import { HEADWATER } from "../../core/command-name.ts";
import { stringLiteral } from "../escape.ts";

/** The values in a snippet that differ between sources. Everything else is fixed text. */
export interface SnippetOptions {
  readonly publicKey: string;
  readonly apiBaseUrl: string;
  /** Written into the page, because otherwise the client would learn it from the first response, after it has sent a request. */
  readonly requireConsent: boolean;
  /** Written into the page if true or false, so that the client need not wait for the first response. null: unknown. */
  readonly respectGpc: boolean | null;
  /** Whether the client is loaded with its optional part `engagement`, in the same request. */
  readonly engagement: boolean;
}

export const scriptUrl = ({ apiBaseUrl, engagement }: SnippetOptions): string =>
  `${apiBaseUrl}/sdk/v2.js${engagement ? "?with=engagement" : ""}`;

/** The data attributes of the client's `<script>` element, by their names in `dataset`. */
export const attributesOf = (options: SnippetOptions): Record<string, string> => ({
  key: options.publicKey,
  api: options.apiBaseUrl,
  ...(options.respectGpc === null ? {} : { respectGpc: `${options.respectGpc}` }),
  ...(options.requireConsent ? { consent: "pending" } : {}),
});

/** The name of a data attribute in HTML: `data-respect-gpc` for `respectGpc`. */
export const attributeName = (name: string): string => `data-${name.replace(/[A-Z]/g, "-$&").toLowerCase()}`;

const datasetLines = (options: SnippetOptions): string =>
  Object.entries(attributesOf(options))
    .map(([name, value]) => `  script.dataset.${name} = ${stringLiteral(value)};\n`)
    .join("");

/** Queues calls until the client has loaded and runs them. It takes any command, so a new command needs no new snippet. */
const queueStub = `if (typeof window.headwater !== "function") {
  window.headwater = function () { (headwater.q = headwater.q || []).push(arguments); };
}`;

/** Trusted Types allow the script's address by a policy with this name. */
export const TRUSTED_POLICY = "headwater";

/** The console warning for a script that did not load, as a JavaScript expression. `script` is the element. */
export const blockedWarning = `"Headwater: " + script.src + " was blocked, so nothing is counted. Run \`${HEADWATER} doctor\`."`;

/**
 * The text between the tags, which a Content-Security-Policy hashes. The element's `onerror` reports a blocked script,
 * because the script itself cannot. Elements named `head` or `createElement` may hide the document's members.
 */
export const inlineScript = (options: SnippetOptions): string => `
(function (page) {
${queueStub.replace(/^/gm, "  ")}
  function trusted(url) {
    try { return trustedTypes.createPolicy("${TRUSTED_POLICY}", { createScriptURL: String }).createScriptURL(url); }
    catch (error) { return url; }
  }
  var script = (document.createElement.call ? document : page).createElement.call(document, "script");
  script.async = true;
  script.src = trusted(${stringLiteral(scriptUrl(options))});
${datasetLines(options)}  script.onerror = function () { console.warn(${blockedWarning}); };
  page.querySelector.call(document, "head").appendChild(script);
})(Document.prototype);
// headwater("track", "signup") sends an event.
`;

/** One inline script: tag managers remove data attributes from `<script src>` tags. */
export const browserSnippet = (options: SnippetOptions): string => `<script>${inlineScript(options)}</script>
`;

/** The snippet for Astro. `is:inline` keeps Astro from bundling the script and running it as a module. */
export const astroExample = (options: SnippetOptions): string => `---
// src/components/Headwater.astro
// Put \`<Headwater />\` into the \`<head>\` of your layout:
//   import Headwater from "../components/Headwater.astro";
// Page views are counted automatically, even with \`<ClientRouter />\`.
---
${browserSnippet(options).replace("<script>", "<script is:inline>")}`;
