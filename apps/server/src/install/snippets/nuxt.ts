/** The snippet for Nuxt. */
import type { SnippetOptions } from "./browser.ts";
import { loader } from "./loader.ts";

/** Nuxt runs a plugin whose name ends in `.client` only in browsers. */
export const nuxtExample = (options: SnippetOptions): string => `// app/plugins/headwater.client.ts
// Nuxt loads it automatically (in Nuxt 3 without the app folder: plugins/headwater.client.ts).
// Page views are counted automatically, including client navigations.
// In code that runs in the browser, useNuxtApp().$track("signup", { plan: "pro" }) sends an event, and
// useNuxtApp().$headwater("identify", "user-42") identifies the visitor.
${loader(options)}
export default defineNuxtPlugin(() => {
  load();
  return { provide: { headwater, track } };
});
`;
