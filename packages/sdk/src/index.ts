import type { Client, ClientOptions as CoreOptions } from "./client.ts";
import { clientOf } from "./registry.ts";

export type { Client } from "./client.ts";
export type { Consent } from "./consent.ts";
export type { Properties } from "./event.ts";
export type { Persistence } from "./storage.ts";
export { sdkVersion } from "./version.ts";

/** Something optional that counts by itself, from "@headwater/sdk/extras". */
export type Extra = (client: Client) => void;

export interface ClientOptions extends CoreOptions {
  readonly extras?: readonly Extra[] | undefined;
}

const extended = new WeakSet<Client>();

/**
 * The client of a source in this page: the same one each time it is asked for. It sends the first page view, follows
 * the navigations, and hands out what a page may call. On a server it does nothing.
 */
export function createClient(options: ClientOptions): Client {
  if (typeof window === "undefined") return serverClient;
  const client = clientOf(options);
  if (!extended.has(client)) for (const extra of options.extras ?? []) extra(client);
  extended.add(client);
  return client;
}

const nothing = (): void => {};

const serverClient: Client = {
  page: nothing,
  track: nothing,
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
