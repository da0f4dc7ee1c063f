/** The browser snippet, and the parts of it that the framework snippets share. */
import { stringLiteral } from "../escape.ts";

/** The values in a snippet that differ between sources. Everything else is fixed text. */
export interface SnippetOptions {
  readonly publicKey: string;
  readonly apiBaseUrl: string;
  /** Written into the page, because otherwise the client would learn it from the first response, after it has sent a request. */
  readonly requireConsent: boolean;
  /** Written into the page if true or false, so that the client need not wait for the first response. */
  readonly respectGpc: boolean;
  /** Whether the client is loaded with its optional part `engagement`, in the same request. */
  readonly engagement: boolean;
}

export const scriptUrl = ({ apiBaseUrl, engagement }: SnippetOptions): string =>
  `${apiBaseUrl}/sdk/v2.js${engagement ? "?with=engagement" : ""}`;

/** The data attributes of the client's `<script>` element, by their names in `dataset`. */
export const attributesOf = (options: SnippetOptions): Record<string, string> => ({
  key: options.publicKey,
  api: options.apiBaseUrl,
  respectGpc: `${options.respectGpc}`,
  ...(options.requireConsent ? { consent: "pending" } : {}),
});

/** The name of a data attribute in HTML: `data-respect-gpc` for `respectGpc`. */
export const attributeName = (name: string): string => `data-${name.replace(/[A-Z]/g, "-$&").toLowerCase()}`;

const datasetLines = (options: SnippetOptions): string =>
  Object.entries(attributesOf(options))
    .map(([name, value]) => `  script.dataset.${name} = ${stringLiteral(value)};\n`)
    .join("");

/** Queues calls until the client has loaded and runs them. It takes any command, so a new command needs no new snippet. */
export const queueStub = `if (typeof window.headwater !== "function") {
  window.headwater = function () { (headwater.q = headwater.q || []).push(arguments); };
}`;

/** The console warning for a script that did not load, as a JavaScript expression. `script` is the element. */
export const blockedWarning =
  '"Headwater: " + script.src + " was blocked, so nothing is counted. Run `headwater doctor`."';

/**
 * The text between the tags, which a Content-Security-Policy hashes. The element's `onerror` reports a blocked script,
 * because the script itself cannot.
 */
export const inlineScript = (options: SnippetOptions): string => `
(function (script) {
${queueStub.replace(/^/gm, "  ")}
  script.async = true;
  script.src = ${stringLiteral(scriptUrl(options))};
${datasetLines(options)}  script.onerror = function () { console.warn(${blockedWarning}); };
  document.head.appendChild(script);
})(document.createElement("script"));
// headwater("track", "signup") sends an event.
`;

/** One inline script: tag managers remove data attributes from `<script src>` tags. */
export const browserSnippet = (options: SnippetOptions): string => `<script>${inlineScript(options)}</script>
`;

/** The snippet for Astro. `is:inline` keeps Astro from bundling the script and running it as a module. */
export const astroExample = (options: SnippetOptions): string => `---
// src/components/Headwater.astro
// Put <Headwater /> into the <head> of your layout:
//   import Headwater from "../components/Headwater.astro";
// Page views are counted automatically, also with <ClientRouter />.
---
${browserSnippet(options).replace("<script>", "<script is:inline>")}`;
