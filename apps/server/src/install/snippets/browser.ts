import { stringLiteral } from "../escape.ts";

/** What differs from one source to the next; everything else in a snippet is fixed text. */
export interface Install {
  readonly publicKey: string;
  readonly apiBaseUrl: string;
}

export const scriptUrl = ({ apiBaseUrl }: Install): string => `${apiBaseUrl}/sdk/v2.js`;

/** Takes calls until the script has come and replays them. A function, so that new commands need no new snippet. */
export const queueStub = `if (typeof window.headwater !== "function") {
  window.headwater = function () { (window.headwater.q = window.headwater.q || []).push(arguments); };
}`;

/** One inline script, because tag managers drop the data attributes of a tag that they paste. */
export const browserSnippet = (install: Install): string => `<script>
(function (script) {
${queueStub.replace(/^/gm, "  ")}
  script.async = true;
  script.src = ${stringLiteral(scriptUrl(install))};
  script.dataset.key = ${stringLiteral(install.publicKey)};
  script.dataset.api = ${stringLiteral(install.apiBaseUrl)};
  document.head.appendChild(script);
})(document.createElement("script"));
// headwater("track", "signup", { plan: "pro" }) counts an event of your own.
</script>
`;
