/** The snippet for Next.js with the App Router. */
import { inlineScript, type SnippetOptions } from "./browser.ts";

/** Escapes code that the example puts inside a template literal. */
const inTemplate = (code: string): string => code.replace(/[\\`]|\$(?=\{)/g, "\\$&");

/** Without `next/script`, which sets the address as text: Trusted Types refuse it, and the page fails. */
export const nextjsExample = (options: SnippetOptions): string => `// app/layout.tsx
// If you already have a root layout, add the <script> to its <body>.
// Page views are counted automatically, including client navigations.
// In client components, window.headwater?.("track", "signup", { plan: "pro" }) sends an event.
import type { ReactNode } from "react";

declare global {
  interface Window {
    headwater?: (command: string, ...args: unknown[]) => void;
  }
}

// Queues calls until the script has loaded, and warns if it was blocked.
const snippet = \`${inTemplate(inlineScript(options))}\`;

export default function RootLayout({ children }: Readonly<{ children: ReactNode }>) {
  return (
    <html lang="en">
      <body>
        <script dangerouslySetInnerHTML={{ __html: snippet }} />
        {children}
      </body>
    </html>
  );
}
`;
