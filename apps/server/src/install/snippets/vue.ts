import type { SnippetOptions } from "./browser.ts";
import { loader } from "./loader.ts";

export const vueExample = (options: SnippetOptions): string => `// src/headwater.ts
// Import it once, in src/main.ts:
//   import "./headwater";
// Page views are counted by themselves, those of vue-router included.
// import { track } from "./headwater"; track("signup", { plan: "pro" }) counts an event of your own;
// headwater("identify", "user-42") from there too names the visitor.
${loader(options)}
load();
`;
