/** The snippet for Angular. */
import type { SnippetOptions } from "./browser.ts";
import { loader } from "./loader.ts";

export const angularExample = (options: SnippetOptions): string => `// src/headwater.ts
// Import it once, in src/main.ts:
//   import "./headwater";
// Page views are counted automatically, including those of the Angular router.
// To send an event from a component in src/app:
//   import { track } from "../headwater"; track("signup", { plan: "pro" });
// headwater("identify", "user-42") from the same module identifies the visitor.
${loader(options)}
load();
`;
