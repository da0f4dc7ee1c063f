import { stringLiteral } from "../escape.ts";
import { attributesOf, type Install, queueStub, scriptUrl } from "./browser.ts";

/** As it is written in a tag. */
const attributeName = (name: string): string => `data-${name.replace(/[A-Z]/g, "-$&").toLowerCase()}`;

export const nextjsExample = (install: Install): string => `// app/layout.tsx
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

// Keeps the calls that are made before the script has come.
const queueStub = \`
${queueStub}
\`;

export default function RootLayout({ children }: Readonly<{ children: ReactNode }>) {
  return (
    <html lang="en">
      <body>
        <script dangerouslySetInnerHTML={{ __html: queueStub }} />
        {children}
        <Script
          id="headwater-script"
          strategy="afterInteractive"
          src={${stringLiteral(scriptUrl(install))}}
${Object.entries(attributesOf(install))
  .map(([name, value]) => `          ${attributeName(name)}={${stringLiteral(value)}}\n`)
  .join("")}        />
      </body>
    </html>
  );
}
`;
