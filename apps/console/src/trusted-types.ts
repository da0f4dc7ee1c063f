/**
 * The policy that turns text into markup (`require-trusted-types-for` in the Content-Security-Policy). React gives the text of a
 * style element to `innerHTML`, and a mail to the sandboxed frame that shows it; any other text with markup throws.
 */

const FRAME = "HTMLIFrameElement srcdoc";

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createHTML(text: string, type: string, sink: string): string | null },
  ): unknown;
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
trustedTypes?.createPolicy("default", {
  createHTML: (text, _type, sink) => (sink === FRAME || !text.includes("<") ? text : null),
});
