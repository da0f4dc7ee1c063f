import { stringLiteral } from "../escape.ts";
import { attributeLines, blockedWarning, type SnippetOptions, scriptUrl } from "./browser.ts";

/** What a TypeScript module of a snippet exports. It may be called before the script has come, and on a server, where it does nothing. */
export const calls = `type Call = [command: string, ...args: unknown[]];

declare global {
  interface Window {
    headwater?: ((...call: Call) => void) & { q?: { push(call: Call): unknown } };
  }
}

// Keeps the calls that are made before the script has come.
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

/** The statements that load the client, once in a page. */
export const loading = (options: SnippetOptions, indent: string): string =>
  `if (document.getElementById("headwater-script")) return;
queue();
const script = document.createElement("script");
script.id = "headwater-script";
script.async = true;
script.src = ${stringLiteral(scriptUrl(options))};
${attributeLines(options, "")}script.onerror = () => console.warn(${blockedWarning});
document.head.append(script);
`.replace(/^(?=.)/gm, indent);

/**
 * The body of a TypeScript module that loads the client, for frameworks that have nothing of their own to say about
 * it. It may be imported on a server, where it does nothing, and more than once.
 */
export const loader = (options: SnippetOptions): string => `${calls}
function load(): void {
  if (typeof document === "undefined") return;
${loading(options, "  ")}}
`;
