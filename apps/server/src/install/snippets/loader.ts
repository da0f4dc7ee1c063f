/** The TypeScript that the module snippets share: the exported functions, and the statements that load the client. */
import { stringLiteral } from "../escape.ts";
import { attributeName, attributesOf, blockedWarning, type SnippetOptions, scriptUrl } from "./browser.ts";

/** The functions that a module snippet exports. They queue calls until the client has loaded. On a server they do nothing. */
export const calls = `type Call = [command: string, ...args: unknown[]];

declare global {
  interface Window {
    headwater?: ((...call: Call) => void) & { q?: { push(call: Call): unknown } };
  }
}

// Queues calls until the script has loaded.
function queue() {
  return (window.headwater ??= (...early) => void (window.headwater!.q ??= [] as Call[]).push(early));
}

export function headwater(...call: Call): void {
  if (typeof window !== "undefined") queue()(...call);
}

export function track(name: string, properties?: Record<string, unknown>): void {
  headwater("track", name, properties);
}
`;

/** Angular's TypeScript settings refuse `script.dataset.key`. */
const attributeLines = (options: SnippetOptions): string =>
  Object.entries(attributesOf(options))
    .map(([name, value]) => `script.setAttribute("${attributeName(name)}", ${stringLiteral(value)});\n`)
    .join("");

/** The statements that load the client once in a page. */
export const loading = (options: SnippetOptions, indent: string): string =>
  `if (document.getElementById("headwater-script")) return;
queue();
const script = document.createElement("script");
script.id = "headwater-script";
script.async = true;
script.src = ${stringLiteral(scriptUrl(options))};
${attributeLines(options)}script.onerror = () => console.warn(${blockedWarning});
document.head.append(script);
`.replace(/^(?=.)/gm, indent);

/**
 * The body of a TypeScript module that loads the client. Applications can import it more than once, and on a server,
 * where it does nothing.
 */
export const loader = (options: SnippetOptions): string => `${calls}
function load(): void {
  if (typeof document === "undefined") return;
${loading(options, "  ")}}
`;
