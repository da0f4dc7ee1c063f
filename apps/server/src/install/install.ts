import { browserSnippet } from "./snippets/browser.ts";
import { nextjsExample } from "./snippets/next.ts";
import { reactExample } from "./snippets/react.ts";

/** `name` and `frameworkHint` are for people; no snippet holds them, so nothing in them can break one. */
export interface InstallSource {
  readonly sourceId: string;
  readonly publicKey: string;
  readonly name: string;
  readonly frameworkHint: string | null;
}

/** The addresses of this service, from its configuration; never from the Host header of a request. */
export interface InstallAddresses {
  readonly baseUrl: string;
  readonly appUrl: string;
}

/** Specification 2.2. */
export interface InstallPayload {
  readonly publicKey: string;
  readonly apiBaseUrl: string;
  readonly ingestVersion: 2;
  readonly browserSnippet: string;
  readonly nextjsExample: string;
  readonly reactExample: string;
  readonly debugUrl: string;
}

export function installPayload(source: InstallSource, { baseUrl, appUrl }: InstallAddresses): InstallPayload {
  const { sourceId, publicKey } = source;
  const apiBaseUrl = withoutTrailingSlash(baseUrl);
  const install = { publicKey, apiBaseUrl };
  return {
    publicKey,
    apiBaseUrl,
    ingestVersion: 2,
    browserSnippet: browserSnippet(install),
    nextjsExample: nextjsExample(install),
    reactExample: reactExample(install),
    debugUrl: `${withoutTrailingSlash(appUrl)}/analytics/setup/debug?sourceId=${encodeURIComponent(sourceId)}`,
  };
}

const withoutTrailingSlash = (url: string): string => url.replace(/\/+$/, "");
