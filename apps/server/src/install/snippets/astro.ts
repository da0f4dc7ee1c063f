import { browserSnippet, type SnippetOptions } from "./browser.ts";

/** `is:inline`: Astro would bundle the script otherwise, and run it as a module. */
export const astroExample = (options: SnippetOptions): string => `---
// src/components/Headwater.astro
// Put <Headwater /> into the <head> of your layout:
//   import Headwater from "../components/Headwater.astro";
// Page views are counted by themselves, those of <ClientRouter /> included.
---
${browserSnippet(options).replace("<script>", "<script is:inline>")}`;
