import type { SnippetOptions } from "./browser.ts";
import { loader } from "./loader.ts";

export const svelteExample = (options: SnippetOptions): string => `// src/lib/headwater.ts
// Import it once, with SvelteKit in src/hooks.client.ts, with Svelte and Vite alone in src/main.ts:
//   import "./lib/headwater";
// Page views are counted by themselves, client navigations included. An event of your own, in a component:
//   import { track } from "../lib/headwater"; track("signup", { plan: "pro" });
// headwater("identify", "user-42") from there too names the visitor.
${loader(options)}
load();
`;
