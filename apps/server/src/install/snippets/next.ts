import { stringLiteral } from "../escape.ts";
import { attributesOf, blockedWarning, queueStub, type SnippetOptions, scriptUrl } from "./browser.ts";

/** As it is written in a tag. */
const attributeName = (name: string): string => `data-${name.replace(/[A-Z]/g, "-$&").toLowerCase()}`;

/** In the example it stands within a template literal. */
const inTemplate = (code: string): string => code.replaceAll("`", "\\`");

export const nextjsExample = (options: SnippetOptions): string => `// app/layout.tsx
// If you have a root layout already, put the <script> and the <Script> into its <body>
// and keep what else it has. Page views are counted by themselves, client navigations included.
// In client components, window.headwater?.("track", "signup", { plan: "pro" }) counts an event of your own.
import Script from "next/script";
import type { ReactNode } from "react";

declare global {
  interface Window {
    headwater?: (command: string, ...args: unknown[]) => void;
  }
}

// Keeps the calls that are made before the script has come, and says so when it was blocked.
const beforeScript = \`
${queueStub}
addEventListener("error", function (event) {
  var script = event.target;
  if (script.id === "headwater-script") console.warn(${inTemplate(blockedWarning)});
}, true);
\`;

export default function RootLayout({ children }: Readonly<{ children: ReactNode }>) {
  return (
    <html lang="en">
      <body>
        <script dangerouslySetInnerHTML={{ __html: beforeScript }} />
        {children}
        <Script
          id="headwater-script"
          strategy="afterInteractive"
          src={${stringLiteral(scriptUrl(options))}}
${Object.entries(attributesOf(options))
  .map(([name, value]) => `          ${attributeName(name)}={${stringLiteral(value)}}\n`)
  .join("")}        />
      </body>
    </html>
  );
}
`;
