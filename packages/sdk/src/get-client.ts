import { type Client, type CoreClientOptions, startClient } from "./client.ts";

declare global {
  interface Window {
    /** Clients by key and API URL, so that a StrictMode remount, a hot reload and a second copy of this module share one. */
    headwaterClients?: Record<string, Client>;
  }
  interface Document {
    readonly prerendering?: boolean;
  }
  interface Navigator {
    readonly globalPrivacyControl?: boolean;
  }
}

/**
 * Returns the client of a source in this page, and starts it on the first call.
 * @throws TypeError if the API URL is invalid
 */
export function getClient(options: CoreClientOptions): Client {
  // A request resolves relative URLs as the page does.
  const apiBaseUrl = new Request(options.apiBaseUrl).url.replace(/\/+$/, "");
  // biome-ignore lint/suspicious/noAssignInExpressions: the script is loaded by every page, so bytes count
  return ((window.headwaterClients ??= {})[options.publicKey + apiBaseUrl] ??= startClient({
    ...options,
    apiBaseUrl,
  }));
}
