import type { Client, ClientOptions } from "./client.ts";
import { clientOf } from "./registry.ts";

export type { Client, ClientOptions, Extra } from "./client.ts";
export type { Consent } from "./consent.ts";
export type { Properties } from "./event.ts";
export type { Persistence } from "./storage.ts";
export { sdkVersion } from "./version.ts";

/**
 * The client of a source in this page: the same one each time it is asked for. It sends the first page view, follows
 * the navigations, and hands out what a page may call. On a server it does nothing.
 */
export const createClient = (options: ClientOptions): Client =>
  typeof window === "undefined" ? serverClient : clientOf(options);

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
  stop: nothing,
};
