import type { SnippetOptions } from "./browser.ts";
import { calls, loading } from "./loader.ts";

/** The script's id holds against the second run of effects in StrictMode, and against a component rendered twice. */
export const reactExample = (options: SnippetOptions): string => `// src/headwater.tsx
// Render <Headwater /> once, for example in src/main.tsx:
//   <StrictMode><Headwater /><App /></StrictMode>
// Page views are counted by themselves, client navigations included.
// track("signup", { plan: "pro" }) counts an event of your own; headwater("identify", "user-42") names the visitor.
import { useEffect } from "react";

${calls}
export function Headwater() {
  useEffect(() => {
${loading(options, "    ")}  }, []);
  return null;
}
`;
