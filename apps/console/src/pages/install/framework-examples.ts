/** The install snippets of the frameworks and the instruction shown above each. */
import type { InstallPayload } from "@headwater/contract";

export interface FrameworkExample {
  readonly value: string;
  readonly label: string;
  readonly instruction: string;
  code(install: InstallPayload): string;
}

const SEE_COMMENTS = "The comments at the top of the code say which file it belongs in.";
const PASTE = "Paste this into the <head> of every page, before other scripts.";

export const EXAMPLES: readonly FrameworkExample[] = [
  { value: "html", label: "HTML", instruction: PASTE, code: (install) => install.browserSnippet },
  {
    value: "nextjs",
    label: "Next.js",
    instruction: SEE_COMMENTS,
    code: (install) => install.nextjsExample,
  },
  {
    value: "react",
    label: "React",
    instruction: SEE_COMMENTS,
    code: (install) => install.reactExample,
  },
  { value: "vue", label: "Vue", instruction: SEE_COMMENTS, code: ({ snippets }) => snippets.vue },
  { value: "nuxt", label: "Nuxt", instruction: SEE_COMMENTS, code: ({ snippets }) => snippets.nuxt },
  {
    value: "svelte",
    label: "Svelte",
    instruction: SEE_COMMENTS,
    code: ({ snippets }) => snippets.svelte,
  },
  {
    value: "astro",
    label: "Astro",
    instruction: SEE_COMMENTS,
    code: ({ snippets }) => snippets.astro,
  },
  {
    value: "curl",
    label: "curl",
    instruction: "Run this in a terminal to send a page view without a website.",
    code: ({ snippets }) => snippets.curl,
  },
];

/** @param hint the framework of the source; one without an example of its own gets the HTML snippet */
export const defaultExampleFor = (hint: string | null): string =>
  EXAMPLES.some(({ value }) => value === hint) ? hint! : hint === "remix" ? "react" : "html";
