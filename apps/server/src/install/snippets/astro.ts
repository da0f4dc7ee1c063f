import { browserSnippet, type SnippetOptions } from "./browser.ts";

/** The snippet for Astro. `is:inline` keeps Astro from bundling the script and running it as a module. */
export const astroExample = (options: SnippetOptions): string => `---
// src/components/Headwater.astro
// Put <Headwater /> into the <head> of your layout:
//   import Headwater from "../components/Headwater.astro";
// Page views are counted automatically, also with <ClientRouter />.
---
${browserSnippet(options).replace("<script>", "<script is:inline>")}`;
