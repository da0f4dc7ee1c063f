/** The snippet for Svelte and SvelteKit. */
import type { SnippetOptions } from "./browser.ts";
import { loader } from "./loader.ts";

export const svelteExample = (options: SnippetOptions): string => `// src/lib/headwater.ts
// Import it once: with SvelteKit in src/hooks.client.ts, with Svelte and Vite in src/main.ts:
//   import "./lib/headwater";
// Page views are counted automatically, including client navigations. To send an event from a component:
//   import { track } from "../lib/headwater"; track("signup", { plan: "pro" });
// headwater("identify", "user-42") from the same module identifies the visitor.
${loader(options)}
load();
`;
