import { stringLiteral } from "../escape.ts";
import { attributeLines, blockedWarning, type Install, scriptUrl } from "./browser.ts";

/**
 * The body of a TypeScript module that loads the client, for frameworks that have nothing of their own to say about
 * it. It may be imported on a server, where it does nothing, and more than once.
 */
export const loader = (install: Install): string => `type Call = [command: string, ...args: unknown[]];

declare global {
  interface Window {
    headwater?: ((...call: Call) => void) & { q?: { push(call: Call): unknown } };
  }
}

export function track(name: string, properties?: Record<string, unknown>): void {
  if (typeof window === "undefined") return;
  // Keeps the calls that are made before the script has come.
  window.headwater ??= (...early) => void (window.headwater!.q ??= [] as Call[]).push(early);
  window.headwater("track", name, properties);
}

function load(): void {
  if (typeof document === "undefined" || document.getElementById("headwater-script")) return;
  const script = document.createElement("script");
  script.id = "headwater-script";
  script.async = true;
  script.src = ${stringLiteral(scriptUrl(install))};
${attributeLines(install, "  ")}  script.onerror = () => console.warn(${blockedWarning});
  document.head.append(script);
}
`;
