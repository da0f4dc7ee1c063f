import { createHash } from "node:crypto";
import type { InstallPayload } from "@headwater/contract";
import { proxyRules } from "./proxy.ts";
import { astroExample } from "./snippets/astro.ts";
import { browserSnippet, type Install, inlineScript } from "./snippets/browser.ts";
import { curlExample } from "./snippets/curl.ts";
import { nextjsExample } from "./snippets/next.ts";
import { nuxtExample } from "./snippets/nuxt.ts";
import { reactExample } from "./snippets/react.ts";
import { svelteExample } from "./snippets/svelte.ts";
import { vueExample } from "./snippets/vue.ts";

/** `name` and `frameworkHint` are for people; no snippet holds them, so nothing in them can break one. */
export interface InstallSource {
  readonly sourceId: string;
  readonly publicKey: string;
  readonly name: string;
  readonly frameworkHint: string | null;
  /** Both are for the curl example, which sends an origin that is let in. */
  readonly allowedOrigins?: readonly string[];
  readonly requireOrigin?: boolean;
  readonly privacy?: { readonly requireConsent: boolean; readonly respectGpc: boolean };
}

/** The addresses of this service, from its configuration; never from the Host header of a request. */
export interface InstallAddresses {
  readonly baseUrl: string;
  readonly appUrl: string;
  /** INGEST_ALIAS; null or absent: none. */
  readonly alias?: string | null;
}

/** Where nobody said under which path of the site the service shall be found. */
const USUAL_PATH = "/hw";

/** Where a source's attempts are shown (spec 2.2). */
export const debugUrlOf = (appUrl: string, sourceId: string): string =>
  `${withoutTrailingSlash(appUrl)}/analytics/setup/debug?sourceId=${encodeURIComponent(sourceId)}`;

/**
 * Specification 2.2, CONTRACT section 7.
 * @param path of the application's own site, for the proxy rules; default: INGEST_ALIAS, else `/hw`
 */
export function installPayload(
  source: InstallSource,
  { baseUrl, appUrl, alias = null }: InstallAddresses,
  path: string | null = null,
): InstallPayload {
  const { sourceId, publicKey, privacy = { requireConsent: false, respectGpc: false } } = source;
  const apiBaseUrl = withoutTrailingSlash(baseUrl);
  const install = { publicKey, apiBaseUrl, ...privacy };
  return {
    publicKey,
    apiBaseUrl,
    ingestVersion: 2,
    browserSnippet: browserSnippet(install),
    nextjsExample: nextjsExample(install),
    reactExample: reactExample(install),
    debugUrl: debugUrlOf(appUrl, sourceId),
    snippets: {
      vue: vueExample(install),
      nuxt: nuxtExample(install),
      svelte: svelteExample(install),
      astro: astroExample(install),
      curl: curlExample(install, source),
    },
    csp: contentSecurity(install),
    proxy: proxyRules(install, path ?? alias ?? USUAL_PATH),
  };
}

const withoutTrailingSlash = (url: string): string => url.replace(/\/+$/, "");

function contentSecurity(install: Install): InstallPayload["csp"] {
  const origin = URL.parse(install.apiBaseUrl)?.origin ?? install.apiBaseUrl;
  const hash = createHash("sha256").update(inlineScript(install)).digest("base64");
  return { scriptSrc: [origin], connectSrc: [origin], snippetHash: `'sha256-${hash}'` };
}
