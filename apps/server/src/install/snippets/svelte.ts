import type { Install } from "./browser.ts";
import { loader } from "./loader.ts";

export const svelteExample = (install: Install): string => `// src/lib/headwater.ts
// Import it once. SvelteKit, in src/hooks.client.ts:
//   import "$lib/headwater";
// Svelte with Vite alone, in src/main.ts:
//   import "./lib/headwater";
// Page views are counted by themselves, client navigations included.
// import { track } from "$lib/headwater"; track("signup", { plan: "pro" }) counts an event of your own.
${loader(install)}
load();
`;
