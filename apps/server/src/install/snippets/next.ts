/** The snippet for Next.js with the App Router. */
import { stringLiteral } from "../escape.ts";
import {
  attributeName,
  attributesOf,
  blockedWarning,
  queueStub,
  type SnippetOptions,
  scriptUrl,
} from "./browser.ts";

/** Escapes code that the example puts inside a template literal. */
const inTemplate = (code: string): string => code.replaceAll("`", "\\`");

export const nextjsExample = (options: SnippetOptions): string => `// app/layout.tsx
// If you already have a root layout, add the <script> and the <Script> to its <body>.
// Page views are counted automatically, including client navigations.
// In client components, window.headwater?.("track", "signup", { plan: "pro" }) sends an event.
import Script from "next/script";
import type { ReactNode } from "react";

declare global {
  interface Window {
    headwater?: (command: string, ...args: unknown[]) => void;
  }
}

// Queues calls until the script has loaded, and warns if it was blocked.
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
