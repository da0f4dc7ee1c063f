/** The install payload: what to paste into an application (spec 2.2, docs/contract.md section 7). */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import { Closed, Id } from "./shapes.ts";

/** A path of the user's own site. Empty segments and segments that start with a dot are not allowed: proxies read them differently. */
export const SITE_PATH = "^(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*){1,5}$";
const SitePath = Type.String({
  pattern: SITE_PATH,
  maxLength: LIMITS.maxSitePathLength,
  description:
    "a path of the application's own site, such as /hw: up to five segments of letters, digits and . _ ~ -",
});

export const InstallQuery = Closed({ organizationId: Type.Optional(Id), path: Type.Optional(SitePath) });

/** What a page's Content-Security-Policy must allow in addition. */
const InstallCsp = Closed({
  scriptSrc: Type.Array(Type.String(), { description: "Add these to script-src." }),
  connectSrc: Type.Array(Type.String(), { description: "Add these to connect-src." }),
  snippetHash: Type.String({
    description:
      "Add this to script-src if the policy allows inline scripts by hash or nonce. Do not add it if the policy uses 'unsafe-inline': a hash would switch that off.",
  }),
});

/** Proxy rules that serve the client and ingest under a path of the application's own site. */
const InstallProxy = Closed({
  path: Type.String(),
  browserSnippet: Type.String({
    description: "The browser snippet that loads from that path and sends to it.",
  }),
  nextjs: Type.String(),
  nginx: Type.String(),
  caddy: Type.String(),
  cloudflare: Type.String(),
});

export const InstallPayload = Closed({
  publicKey: Type.String(),
  apiBaseUrl: Type.String(),
  ingestVersion: Type.Literal(2),
  browserSnippet: Type.String(),
  nextjsExample: Type.String(),
  reactExample: Type.String(),
  debugUrl: Type.String(),
  snippets: Closed({
    vue: Type.String(),
    nuxt: Type.String(),
    svelte: Type.String(),
    astro: Type.String(),
    node: Type.String(),
    curl: Type.String(),
  }),
  csp: InstallCsp,
  proxy: InstallProxy,
});
export type InstallPayload = Static<typeof InstallPayload>;
