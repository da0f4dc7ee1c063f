/** The install payload of a source: what to paste into an application (spec 2.2, docs/api/install.md). */
import { createHash } from "node:crypto";
import { type InstallPayload, SOURCE_DEFAULTS } from "@headwater/contract";
import type { HandlerWith } from "../http/handler.ts";
import type { SourceRecord } from "../ledger/records.ts";
import { proxyRules } from "./proxy.ts";
import { astroExample, browserSnippet, inlineScript, type SnippetOptions } from "./snippets/browser.ts";
import { curlExample } from "./snippets/curl.ts";
import {
  angularExample,
  nuxtExample,
  reactExample,
  remixExample,
  svelteExample,
  vueExample,
} from "./snippets/modules.ts";
import { nextjsExample } from "./snippets/next.ts";
import { nodeExample } from "./snippets/node.ts";

/** No snippet contains `name` or `frameworkHint`, so nothing that users write into them can break one. */
export type InstallSource = Pick<SourceRecord, "sourceId" | "publicKey" | "name" | "frameworkHint"> &
  Partial<Pick<SourceRecord, "allowedOrigins" | "requireOrigin" | "privacy" | "engagement">>;

/** The addresses of this service. They come from its configuration, never from the Host header of a request. */
export interface InstallAddresses {
  readonly baseUrl: string;
  readonly appUrl: string;
  /** INGEST_ALIAS. null or absent: there is none. */
  readonly alias?: string | null;
}

interface InstallServices {
  /** Called for each request, because the listening port, which is part of them, is known only after the start. */
  readonly addresses: () => InstallAddresses;
}

/** The path in the proxy rules if neither the request nor INGEST_ALIAS names one. */
const DEFAULT_PATH = "/hw";

const withoutTrailingSlash = (url: string): string => url.replace(/\/+$/, "");

/** The address of a source's debug view (spec 2.2). */
export const debugUrlOf = (appUrl: string, sourceId: string): string =>
  `${withoutTrailingSlash(appUrl)}/analytics/setup/debug?sourceId=${encodeURIComponent(sourceId)}`;

/** The address of a source's delivery page in the console. */
export const deliveryUrlOf = (appUrl: string, sourceId: string): string =>
  `${withoutTrailingSlash(appUrl)}/sources/delivery?sourceId=${encodeURIComponent(sourceId)}`;

/** The values that a page's Content-Security-Policy must allow. */
function cspOf(options: SnippetOptions): InstallPayload["csp"] {
  const origin = URL.parse(options.apiBaseUrl)?.origin ?? options.apiBaseUrl;
  const hash = createHash("sha256").update(inlineScript(options)).digest("base64");
  return { scriptSrc: [origin], connectSrc: [origin], snippetHash: `'sha256-${hash}'` };
}

/** @param path the path of the application's own site for the proxy rules. Default: INGEST_ALIAS, or else `/hw` */
export function installPayload(
  source: InstallSource,
  { baseUrl, appUrl, alias = null }: InstallAddresses,
  path: string | null = null,
): InstallPayload {
  const { sourceId, publicKey, privacy = SOURCE_DEFAULTS.privacy, engagement = false } = source;
  const apiBaseUrl = withoutTrailingSlash(baseUrl);
  const options: SnippetOptions = { publicKey, apiBaseUrl, engagement, ...privacy };
  return {
    publicKey,
    apiBaseUrl,
    ingestVersion: 2,
    browserSnippet: browserSnippet(options),
    nextjsExample: nextjsExample(options),
    reactExample: reactExample(options),
    debugUrl: debugUrlOf(appUrl, sourceId),
    snippets: {
      remix: remixExample(options),
      vue: vueExample(options),
      nuxt: nuxtExample(options),
      svelte: svelteExample(options),
      angular: angularExample(options),
      astro: astroExample(options),
      node: nodeExample(options),
      curl: curlExample(options, source),
    },
    csp: cspOf(options),
    proxy: proxyRules(options, path ?? alias ?? DEFAULT_PATH),
  };
}

export const getInstall: HandlerWith<InstallServices, "getInstall"> = async (call, { addresses }) => ({
  body: installPayload(call.source, addresses(), call.query.path),
});
