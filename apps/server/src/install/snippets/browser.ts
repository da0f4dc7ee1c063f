import { stringLiteral } from "../escape.ts";

/** What differs from one source to the next; everything else in a snippet is fixed text. */
export interface SnippetOptions {
  readonly publicKey: string;
  readonly apiBaseUrl: string;
  /** The client knows of it only from the first answer; a page that says so itself sends nothing before consent. */
  readonly requireConsent: boolean;
  /** Said either way: a visitor with Global Privacy Control then waits for no answer. */
  readonly respectGpc: boolean;
}

export const scriptUrl = ({ apiBaseUrl }: SnippetOptions): string => `${apiBaseUrl}/sdk/v2.js`;

/** The attributes of the client's tag, by their names in its `dataset`. */
export const attributesOf = (options: SnippetOptions): Record<string, string> => ({
  key: options.publicKey,
  api: options.apiBaseUrl,
  respectGpc: `${options.respectGpc}`,
  ...(options.requireConsent ? { consent: "pending" } : {}),
});

/** A statement for each attribute, for snippets that make the element themselves. */
export const attributeLines = (options: SnippetOptions, indent: string): string =>
  Object.entries(attributesOf(options))
    .map(([name, value]) => `${indent}script.dataset.${name} = ${stringLiteral(value)};\n`)
    .join("");

/** Takes calls until the script has come and replays them. A function, so that new commands need no new snippet. */
export const queueStub = `if (typeof window.headwater !== "function") {
  window.headwater = function () { (headwater.q = headwater.q || []).push(arguments); };
}`;

/** What the page's console says when the script did not come, as an expression in which `script` is its element. */
export const blockedWarning =
  '"Headwater: " + script.src + " was blocked: nothing is counted. Ask `headwater doctor`."';

/**
 * The text between the tags, as a Content-Security-Policy hashes it. A script that was blocked cannot say so itself:
 * its element does.
 */
export const inlineScript = (options: SnippetOptions): string => `
(function (script) {
${queueStub.replace(/^/gm, "  ")}
  script.async = true;
  script.src = ${stringLiteral(scriptUrl(options))};
${attributeLines(options, "  ")}  script.onerror = function () { console.warn(${blockedWarning}); };
  document.head.appendChild(script);
})(document.createElement("script"));
// headwater("track", "signup") counts an event.
`;

/** One inline script, because tag managers drop the data attributes of a tag that they paste. */
export const browserSnippet = (options: SnippetOptions): string => `<script>${inlineScript(options)}</script>
`;
