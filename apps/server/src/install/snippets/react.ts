/** The snippets for React and for Remix, whose successor is React Router 7. They share the component. */
import type { SnippetOptions } from "./browser.ts";
import { calls, loading } from "./loader.ts";

/** The id of the script element prevents a second load, when StrictMode runs effects twice or the component renders twice. */
const component = (
  options: SnippetOptions,
): string => `// Page views are counted automatically, including client navigations.
// track("signup", { plan: "pro" }) sends an event. headwater("identify", "user-42") identifies the visitor.
import { useEffect } from "react";

${calls}
export function Headwater() {
  useEffect(() => {
${loading(options, "    ")}  }, []);
  return null;
}
`;

export const reactExample = (options: SnippetOptions): string => `// src/headwater.tsx
// Render <Headwater /> once, for example in src/main.tsx:
//   <StrictMode><Headwater /><App /></StrictMode>
${component(options)}`;

/** It imports only React, so one text works with Remix 2 and with every version of React Router since 7. */
export const remixExample = (options: SnippetOptions): string => `// app/headwater.tsx
// For Remix 2, and for React Router 7 and later in framework mode. Render <Headwater /> in app/root.tsx:
//   import { Headwater } from "./headwater";
//   … <Headwater /><Scripts /></body>
${component(options)}`;
