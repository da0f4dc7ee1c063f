/** The snippets that are TypeScript modules: they share the exported functions and the statements that load the client. */
import { stringLiteral } from "../escape.ts";
import {
  attributeName,
  attributesOf,
  blockedWarning,
  type SnippetOptions,
  scriptUrl,
  TRUSTED_POLICY,
} from "./browser.ts";

/** The functions that a module snippet exports. They queue calls until the client has loaded. On a server they do nothing. */
const calls = `type Call = [command: string, ...args: unknown[]];

declare global {
  interface Window {
    headwater?: ((...call: Call) => void) & { q?: { push(call: Call): unknown } };
  }
}

// Queues calls until the script has loaded.
function queue() {
  return (window.headwater ??= (...early) => void (window.headwater!.q ??= [] as Call[]).push(early));
}

// Trusted Types allow the script by this policy.
function trusted(url: string): string {
  try {
    const policy = { createScriptURL: String };
    return Reflect.get(window, "trustedTypes").createPolicy("${TRUSTED_POLICY}", policy).createScriptURL(url);
  } catch {
    return url;
  }
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
const loading = (options: SnippetOptions, indent: string): string =>
  `if (document.getElementById("headwater-script")) return;
queue();
const script = document.createElement("script");
script.id = "headwater-script";
script.async = true;
script.src = trusted(${stringLiteral(scriptUrl(options))});
${attributeLines(options)}script.onerror = () => console.warn(${blockedWarning});
document.head.append(script);
`.replace(/^(?=.)/gm, indent);

/**
 * The body of a TypeScript module that loads the client. Applications can import it more than once, and on a server,
 * where it does nothing.
 */
const loader = (options: SnippetOptions): string => `${calls}
function load(): void {
  if (typeof document === "undefined") return;
${loading(options, "  ")}}
`;

/** The id of the script element prevents a second load, when StrictMode runs effects twice or the component renders twice. */
const component = (
  options: SnippetOptions,
): string => `// Page views are counted automatically, including client navigations.
// \`track("signup", { plan: "pro" })\` sends an event.
// \`headwater("identify", "user-42")\` identifies the visitor.
import { useEffect } from "react";

${calls}
export function Headwater() {
  useEffect(() => {
${loading(options, "    ")}  }, []);
  return null;
}
`;

export const reactExample = (options: SnippetOptions): string => `// src/headwater.tsx
// Render \`<Headwater />\` once, for example in \`src/main.tsx\`:
//   <StrictMode><Headwater /><App /></StrictMode>
${component(options)}`;

/** It imports only React, so one text works with Remix 2 and with every version of React Router since 7. */
export const remixExample = (options: SnippetOptions): string => `// app/headwater.tsx
// For Remix 2, and for React Router 7 and later in framework mode.
// Render \`<Headwater />\` in \`app/root.tsx\`:
//   import { Headwater } from "./headwater";
//   … <Headwater /><Scripts /></body>
${component(options)}`;

export const vueExample = (options: SnippetOptions): string => `// src/headwater.ts
// Import it once, in \`src/main.ts\`:
//   import "./headwater";
// Page views are counted automatically, including those of vue-router.
// To send an event:
//   import { track } from "./headwater"; track("signup", { plan: "pro" });
// \`headwater("identify", "user-42")\` from the same module identifies the visitor.
${loader(options)}
load();
`;

/** Nuxt runs a plugin whose name ends in `.client` only in browsers. */
export const nuxtExample = (options: SnippetOptions): string => `// app/plugins/headwater.client.ts
// Nuxt loads it automatically. In Nuxt 3 without the app folder, the file is \`plugins/headwater.client.ts\`.
// Page views are counted automatically, including client navigations.
// In code that runs in the browser, \`useNuxtApp().$track("signup", { plan: "pro" })\` sends an event.
// There, \`useNuxtApp().$headwater("identify", "user-42")\` identifies the visitor.
${loader(options)}
export default defineNuxtPlugin(() => {
  load();
  return { provide: { headwater, track } };
});
`;

export const svelteExample = (options: SnippetOptions): string => `// src/lib/headwater.ts
// Import it once: with SvelteKit in \`src/hooks.client.ts\`, with Svelte and Vite in \`src/main.ts\`:
//   import "./lib/headwater";
// Page views are counted automatically, including client navigations.
// To send an event from a component:
//   import { track } from "../lib/headwater"; track("signup", { plan: "pro" });
// \`headwater("identify", "user-42")\` from the same module identifies the visitor.
${loader(options)}
load();
`;

export const angularExample = (options: SnippetOptions): string => `// src/headwater.ts
// Import it once, in \`src/main.ts\`:
//   import "./headwater";
// Page views are counted automatically, including those of the Angular router.
// To send an event from a component in \`src/app\`:
//   import { track } from "../headwater"; track("signup", { plan: "pro" });
// \`headwater("identify", "user-42")\` from the same module identifies the visitor.
${loader(options)}
load();
`;
