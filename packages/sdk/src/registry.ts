import { type Client, type ClientOptions, startClient } from "./client.ts";

declare global {
  interface Window {
    /** By key and API address: StrictMode's second mount, a hot reload and a second copy of this module find it. */
    headwaterClients?: Record<string, ReturnType<typeof startClient>>;
  }
  interface Document {
    readonly prerendering?: boolean;
  }
  interface Navigator {
    readonly globalPrivacyControl?: boolean;
  }
}

/** The one client of a source in this page, attached to it. */
export function clientOf(options: ClientOptions): Client {
  window.headwaterClients ??= {};
  const clients = window.headwaterClients;
  const name = `${options.publicKey} ${options.apiBaseUrl}`;
  clients[name] ??= startClient(options);
  clients[name].attach();
  return clients[name].client;
}
