/** The install snippets of the frameworks. */
import type { InstallFramework, InstallPayload } from "@headwater/contract";

export interface FrameworkExample {
  readonly value: string;
  readonly label: string;
  /** Default: the first note of the snippet. */
  readonly instruction?: string;
  code(install: InstallPayload): string;
}

const PASTE = "Paste this into the <head> of every page, before other scripts.";

/** An example that is missing here does not compile. */
const EXAMPLE_TABLE: Record<InstallFramework, Omit<FrameworkExample, "value">> = {
  html: { label: "HTML", instruction: PASTE, code: (install) => install.browserSnippet },
  nextjs: { label: "Next.js", code: (install) => install.nextjsExample },
  react: { label: "React", code: (install) => install.reactExample },
  remix: { label: "Remix / React Router", code: ({ snippets }) => snippets.remix },
  vue: { label: "Vue", code: ({ snippets }) => snippets.vue },
  nuxt: { label: "Nuxt", code: ({ snippets }) => snippets.nuxt },
  svelte: { label: "Svelte", code: ({ snippets }) => snippets.svelte },
  angular: { label: "Angular", code: ({ snippets }) => snippets.angular },
  astro: { label: "Astro", code: ({ snippets }) => snippets.astro },
  node: {
    label: "Node.js",
    instruction:
      "Call this from your server. It needs a token that can send events. Create one on the Tokens page.",
    code: ({ snippets }) => snippets.node,
  },
  curl: {
    label: "curl",
    instruction: "Run this in a terminal to send a page view without a website.",
    code: ({ snippets }) => snippets.curl,
  },
};

export const EXAMPLES: readonly FrameworkExample[] = Object.entries(EXAMPLE_TABLE).map(
  ([value, example]) => ({
    value,
    ...example,
  }),
);

/** @param hint the framework of the source; one without an example of its own gets the HTML snippet */
export const defaultExampleFor = (hint: string | null): string =>
  EXAMPLES.find(({ value }) => value === hint)?.value ?? "html";
