import { stringLiteral } from "../escape.ts";
import { attributeLines, type Install, scriptUrl } from "./browser.ts";

/** The script's id holds against the second run of effects in StrictMode, and against a component rendered twice. */
export const reactExample = (install: Install): string => `// src/headwater.tsx
// Render <Headwater /> once, for example in src/main.tsx:
//   <StrictMode><Headwater /><App /></StrictMode>
// Page views are counted by themselves, client navigations included.
// track("signup", { plan: "pro" }) counts an event of your own; headwater("identify", "user-42") names the visitor.
import { useEffect } from "react";

type Call = [command: string, ...args: unknown[]];

declare global {
  interface Window {
    headwater?: ((...call: Call) => void) & { q?: { push(call: Call): unknown } };
  }
}

// Keeps the calls that are made before the script has come.
export function headwater(...call: Call): void {
  window.headwater ??= (...early) => void (window.headwater!.q ??= [] as Call[]).push(early);
  window.headwater(...call);
}

export function track(name: string, properties?: Record<string, unknown>): void {
  headwater("track", name, properties);
}

export function Headwater() {
  useEffect(() => {
    if (document.getElementById("headwater-script")) return;
    const script = document.createElement("script");
    script.id = "headwater-script";
    script.async = true;
    script.src = ${stringLiteral(scriptUrl(install))};
${attributeLines(install, "    ")}    script.onerror = () => console.warn("Headwater: " + script.src + " was blocked: nothing is counted.");
    document.head.append(script);
  }, []);
  return null;
}
`;
