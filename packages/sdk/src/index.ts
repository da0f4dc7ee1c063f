import { catchErrors } from "./catch-errors.ts";
import type { Client, CoreClientOptions } from "./client.ts";
import { type SitesOptions, shareOverSites } from "./extras/sites.ts";
import { type ConsentOptions, countsWithoutConsent, countWithoutConsent } from "./extras/without-consent.ts";
import { getClient } from "./get-client.ts";

export type { Client } from "./client.ts";
export type { Consent } from "./consent.ts";
export type { Page, Properties, TrackOptions } from "./event.ts";
export type { Persistence } from "./storage.ts";
export { sdkVersion } from "./version.ts";

/** An optional part that counts something automatically, from "@headwater/sdk/extras". */
export type Extra = (client: Client) => void;

export interface ClientOptions
  extends CoreClientOptions,
    SitesOptions,
    Pick<ConsentOptions, "withoutConsent"> {
  readonly extras?: readonly Extra[] | undefined;
}

const extended = new WeakSet<Client>();

/**
 * Returns the client of a source in this page. Calls with the same key and API URL return the same client. It counts the
 * first page view and later navigations. On a server the returned client does nothing.
 */
export function createClient(options: ClientOptions): Client {
  if (typeof window === "undefined") return serverClient;
  const client = extendedClient(options) ?? serverClient;
  if (!extended.has(client)) for (const extra of options.extras ?? []) extra(client);
  extended.add(client);
  return client;
}

const started = new Map<string, Client | undefined>();

/** The client with the parts of its options that must be there before it starts. */
function extendedClient(options: ClientOptions): Client | undefined {
  const name = `${options.publicKey} ${options.apiBaseUrl}`;
  if (started.has(name)) return started.get(name);
  const { crossSubdomain, linkDomains, persistence = "local" } = options;
  const isShared = (crossSubdomain || linkDomains) && persistence === "local" && shareOverSites(options);
  const shared: ClientOptions = isShared ? { ...options, persistence: "site" } : options;
  const attach = countsWithoutConsent(shared) && countWithoutConsent(shared);
  const client = catchErrors(getClient)(
    attach ? { ...shared, consent: "granted", persistence: "consent" } : shared,
  );
  if (client && attach) attach(client);
  started.set(name, client);
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
