/** The snippet for Next.js with the App Router. */
import { inlineScript, type SnippetOptions } from "./browser.ts";

/** Escapes code that the example puts inside a template literal. */
const inTemplate = (code: string): string => code.replace(/[\\`]|\$(?=\{)/g, "\\$&");

/**
 * Elements to add to a layout, not a whole one, which would replace metadata, fonts and styles. Without `next/script`, which
 * sets the address as text: Trusted Types refuse it, and the page fails.
 */
export const nextjsExample = (options: SnippetOptions): string => `{/* app/layout.tsx
    Add this to the \`<body>\` of your root layout, before \`{children}\`. Keep everything else.
    Page views are counted automatically, including client navigations.
    In client components, \`window.headwater?.("track", "signup", { plan: "pro" })\` sends an event.
    For TypeScript, add this to the file too:
      declare global {
        interface Window {
          headwater?: (command: string, ...args: unknown[]) => void;
        }
      } */}
<script
  dangerouslySetInnerHTML={{
    __html: \`${inTemplate(inlineScript(options))}\`,
  }}
/>
`;
