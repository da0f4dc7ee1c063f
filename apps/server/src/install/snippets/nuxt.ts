import type { SnippetOptions } from "./browser.ts";
import { loader } from "./loader.ts";

/** The file's name ends in `.client`, so Nuxt runs it in browsers only. */
export const nuxtExample = (options: SnippetOptions): string => `// app/plugins/headwater.client.ts
// Nuxt runs it by itself (in Nuxt 3 without the app folder: plugins/headwater.client.ts).
// Page views are counted by themselves, client navigations included.
// useNuxtApp().$track("signup", { plan: "pro" }) counts an event of your own, in code that runs in the browser;
// $headwater("identify", "user-42") names the visitor.
${loader(options)}
export default defineNuxtPlugin(() => {
  load();
  return { provide: { headwater, track } };
});
`;
