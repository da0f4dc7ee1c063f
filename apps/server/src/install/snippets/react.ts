/** The snippet for React. */
import type { SnippetOptions } from "./browser.ts";
import { calls, loading } from "./loader.ts";

/** The id of the script element prevents a second load, when StrictMode runs effects twice or the component renders twice. */
export const reactExample = (options: SnippetOptions): string => `// src/headwater.tsx
// Render <Headwater /> once, for example in src/main.tsx:
//   <StrictMode><Headwater /><App /></StrictMode>
// Page views are counted automatically, including client navigations.
// track("signup", { plan: "pro" }) sends an event. headwater("identify", "user-42") identifies the visitor.
import { useEffect } from "react";

${calls}
export function Headwater() {
  useEffect(() => {
${loading(options, "    ")}  }, []);
  return null;
}
`;
