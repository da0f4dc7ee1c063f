/** Which snippet is shown for a framework, and what to do with it. */
import type { InstallPayload } from "@headwater/contract";

export interface FrameworkExample {
  readonly value: string;
  readonly label: string;
  readonly step: string;
  code(install: InstallPayload): string;
}

const WHERE = "Its first lines say where it goes.";
const PASTE = "Paste it into the head of every page, before other scripts.";

export const EXAMPLES: readonly FrameworkExample[] = [
  { value: "html", label: "HTML", step: PASTE, code: (install) => install.browserSnippet },
  {
    value: "nextjs",
    label: "Next.js",
    step: WHERE,
    code: (install) => install.nextjsExample,
  },
  {
    value: "react",
    label: "React",
    step: WHERE,
    code: (install) => install.reactExample,
  },
  { value: "vue", label: "Vue", step: WHERE, code: ({ snippets }) => snippets.vue },
  { value: "nuxt", label: "Nuxt", step: WHERE, code: ({ snippets }) => snippets.nuxt },
  {
    value: "svelte",
    label: "Svelte",
    step: WHERE,
    code: ({ snippets }) => snippets.svelte,
  },
  {
    value: "astro",
    label: "Astro",
    step: WHERE,
    code: ({ snippets }) => snippets.astro,
  },
  {
    value: "curl",
    label: "curl",
    step: "Run it in a terminal: a page view arrives without a page.",
    code: ({ snippets }) => snippets.curl,
  },
];

/** @param hint the source's; one without an example of its own takes the snippet for any page */
export const defaultExampleFor = (hint: string | null): string =>
  EXAMPLES.some(({ value }) => value === hint) ? hint! : hint === "remix" ? "react" : "html";
