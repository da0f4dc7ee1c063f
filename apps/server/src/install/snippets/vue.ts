/** The snippet for Vue. */
import type { SnippetOptions } from "./browser.ts";
import { loader } from "./loader.ts";

export const vueExample = (options: SnippetOptions): string => `// src/headwater.ts
// Import it once, in src/main.ts:
//   import "./headwater";
// Page views are counted automatically, including those of vue-router.
// import { track } from "./headwater"; track("signup", { plan: "pro" }) sends an event.
// headwater("identify", "user-42") from the same module identifies the visitor.
${loader(options)}
load();
`;
