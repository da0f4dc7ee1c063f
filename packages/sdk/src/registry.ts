import { type Client, type ClientOptions, startClient } from "./client.ts";

declare global {
  interface Window {
    /** By key and API address: StrictMode's second mount, a hot reload and a second copy of this module find it. */
    headwaterClients?: Record<string, Client>;
  }
  interface Document {
    readonly prerendering?: boolean;
  }
  interface Navigator {
    readonly globalPrivacyControl?: boolean;
  }
}

/** The one client of a source in this page. */
export function clientOf(options: ClientOptions): Client {
  // A link reads any address as the page does, and never throws.
  const { href } = Object.assign(document.createElement("a"), { href: options.apiBaseUrl });
  const apiBaseUrl = href.replace(/\/+$/, "");
  const name = `${options.publicKey} ${apiBaseUrl}`;
  // biome-ignore lint/suspicious/noAssignInExpressions: every page would load the bytes of longer lines
  return ((window.headwaterClients ??= {})[name] ??= startClient({ ...options, apiBaseUrl }));
}
