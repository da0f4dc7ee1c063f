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
  const clients = window.headwaterClients ?? {};
  window.headwaterClients = clients;
  const name = `${options.publicKey} ${options.apiBaseUrl}`;
  const started = clients[name] ?? startClient(options);
  clients[name] = started;
  started.attach();
  return started.client;
}
