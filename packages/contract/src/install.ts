/** The install payload: what to paste into an application (spec 2.2, docs/api/install.md). */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import { Closed, OneOf, SameOrganizationId, text, url } from "./shapes.ts";

/** A path of the user's own site. Empty segments and segments that start with a dot are not allowed: proxies read them differently. */
export const SITE_PATH = "^(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*){1,5}$";
const SitePath = Type.String({
  pattern: SITE_PATH,
  maxLength: LIMITS.maxSitePathLength,
  description:
    "a path of the application's own site, such as /hw: up to five segments of letters, digits and . _ ~ -",
});

export const InstallQuery = Closed({ organizationId: SameOrganizationId, path: Type.Optional(SitePath) });

/** The values that a page's Content-Security-Policy must allow in addition. */
const InstallCsp = Closed(
  {
    scriptSrc: Type.Array(Type.String(), { description: "Add these to script-src." }),
    connectSrc: Type.Array(Type.String(), { description: "Add these to connect-src." }),
    snippetHash: Type.String({
      description:
        "Add this to script-src if the policy allows inline scripts by hash or nonce. Do not add it if the policy uses 'unsafe-inline', which a hash would switch off.",
    }),
  },
  { description: "What the Content-Security-Policy of a page must allow in addition." },
);

/** Proxy rules that serve the client and ingest under a path of the application's own site. */
const InstallProxy = Closed(
  {
    path: text("The path of the site that the rules serve."),
    browserSnippet: Type.String({
      description: "The browser snippet that loads from that path and sends to it.",
    }),
    nextjs: text("A `proxy.ts` for Next.js."),
    nginx: text("A `location` block for nginx."),
    caddy: text("A block for a Caddyfile."),
    cloudflare: text("A Cloudflare Worker."),
  },
  { description: "Rules that serve the client and ingest under a path of the application's own site." },
);

export const InstallPayload = Closed({
  publicKey: text("The source's public key."),
  apiBaseUrl: url("The address that pages send to."),
  ingestVersion: Type.Literal(2, { description: "The version of the ingest API." }),
  browserSnippet: text("The HTML to paste into any page."),
  nextjsExample: text("An element to add to the `<body>` of a root layout (App Router of Next.js)."),
  reactExample: text("A module for React applications."),
  debugUrl: url("The debug view of the source."),
  snippets: Closed(
    {
      remix: text("A module for Remix 2, and for React Router 7 and later in framework mode."),
      vue: text("A module for Vue."),
      nuxt: text("A plugin for Nuxt."),
      svelte: text("A module for Svelte."),
      angular: text("A module for Angular."),
      astro: text("A component for Astro."),
      node: text("A module for a server, which needs a token with the scope `ingest`."),
      curl: text("A command that sends one page view."),
    },
    { description: "What to paste into an application of each kind." },
  ),
  csp: InstallCsp,
  proxy: InstallProxy,
});
export type InstallPayload = Static<typeof InstallPayload>;

export const INSTALL_FRAMEWORKS = [
  "html",
  "react",
  "nextjs",
  "remix",
  "vue",
  "nuxt",
  "svelte",
  "angular",
  "astro",
  "node",
  "curl",
] as const;
export const InstallFramework = OneOf(INSTALL_FRAMEWORKS, {
  description:
    "What the application is built with. `remix` is Remix 2, and React Router 7 and later in framework mode.",
});
export type InstallFramework = Static<typeof InstallFramework>;

/** The values of a source's `frameworkHint` that choose an example. No application is built with curl. */
export const FRAMEWORK_HINTS = INSTALL_FRAMEWORKS.filter((name) => name !== "curl");

type ExampleText = (payload: InstallPayload) => string;

/** The example for each framework. A snippet of the payload that is missing here, or in the list, does not compile. */
export const INSTALL_EXAMPLES: Readonly<Record<InstallFramework, ExampleText>> = {
  html: ({ browserSnippet }) => browserSnippet,
  react: ({ reactExample }) => reactExample,
  nextjs: ({ nextjsExample }) => nextjsExample,
  remix: ({ snippets }) => snippets.remix,
  vue: ({ snippets }) => snippets.vue,
  nuxt: ({ snippets }) => snippets.nuxt,
  svelte: ({ snippets }) => snippets.svelte,
  angular: ({ snippets }) => snippets.angular,
  astro: ({ snippets }) => snippets.astro,
  node: ({ snippets }) => snippets.node,
  curl: ({ snippets }) => snippets.curl,
} satisfies Record<InstallFramework | keyof InstallPayload["snippets"], ExampleText>;
