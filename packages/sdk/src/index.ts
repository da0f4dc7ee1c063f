import type { Client, CoreClientOptions } from "./client.ts";
import { getClient } from "./get-client.ts";

export type { Client } from "./client.ts";
export type { Consent } from "./consent.ts";
export type { Page, Properties, TrackOptions } from "./event.ts";
export type { Persistence } from "./storage.ts";
export { sdkVersion } from "./version.ts";

/** An optional part that counts something automatically, from "@headwater/sdk/extras". */
export type Extra = (client: Client) => void;

export interface ClientOptions extends CoreClientOptions {
  readonly extras?: readonly Extra[] | undefined;
}

const extended = new WeakSet<Client>();

/**
 * Returns the client of a source in this page. Calls with the same key and API URL return the same client. It counts the
 * first page view and later navigations. On a server the returned client does nothing.
 */
export function createClient(options: ClientOptions): Client {
  if (typeof window === "undefined") return serverClient;
  const client = getClient(options);
  if (!extended.has(client)) for (const extra of options.extras ?? []) extra(client);
  extended.add(client);
  return client;
}

const nothing = (): void => {};

const serverClient: Client = {
  page: nothing,
  track: nothing,
  currentPage: () => ({ url: "", title: "", referrer: null }),
  identify: nothing,
  reset: nothing,
  flush: () => Promise.resolve(),
  ready: nothing,
  optOut: nothing,
  optIn: nothing,
  setConsent: nothing,
  debug: nothing,
  autoPageViews: false,
};
