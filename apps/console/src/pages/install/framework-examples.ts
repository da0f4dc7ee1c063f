/** The install snippets of the frameworks and the instruction shown above each. */
import type { InstallFramework, InstallPayload } from "@headwater/contract";

export interface FrameworkExample {
  readonly value: string;
  readonly label: string;
  readonly instruction: string;
  code(install: InstallPayload): string;
}

const SEE_COMMENTS = "The comments at the top of the code say which file it belongs in.";
const PASTE = "Paste this into the <head> of every page, before other scripts.";

/** An example that is missing here does not compile. */
const EXAMPLE_TABLE: Record<InstallFramework, Omit<FrameworkExample, "value">> = {
  html: { label: "HTML", instruction: PASTE, code: (install) => install.browserSnippet },
  nextjs: { label: "Next.js", instruction: SEE_COMMENTS, code: (install) => install.nextjsExample },
  react: { label: "React", instruction: SEE_COMMENTS, code: (install) => install.reactExample },
  remix: {
    label: "Remix / React Router",
    instruction: `For Remix 2, and for React Router 7 and later in framework mode. ${SEE_COMMENTS}`,
    code: ({ snippets }) => snippets.remix,
  },
  vue: { label: "Vue", instruction: SEE_COMMENTS, code: ({ snippets }) => snippets.vue },
  nuxt: { label: "Nuxt", instruction: SEE_COMMENTS, code: ({ snippets }) => snippets.nuxt },
  svelte: { label: "Svelte", instruction: SEE_COMMENTS, code: ({ snippets }) => snippets.svelte },
  angular: { label: "Angular", instruction: SEE_COMMENTS, code: ({ snippets }) => snippets.angular },
  astro: { label: "Astro", instruction: SEE_COMMENTS, code: ({ snippets }) => snippets.astro },
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
