/** Tracking sources and the install payload (spec 2.1, 2.2, CONTRACT sections 2 and 7). */
import Type, { type Static } from "typebox";
import { Counting, CountingPatch } from "./counting.ts";
import { LIMITS } from "./limits.ts";
import { Closed, Count, Id, Nullable, Time } from "./shapes.ts";

export const KNOWN_FRAMEWORKS = [
  "nextjs",
  "react",
  "vue",
  "nuxt",
  "svelte",
  "angular",
  "astro",
  "remix",
  "html",
] as const;

const Name = Type.String({
  minLength: 1,
  description: "1 to 120 characters after trimming, no control characters",
});
const Slug = Type.String({
  pattern: "^[a-z0-9]+(-[a-z0-9]+)*$",
  maxLength: LIMITS.maxSlugLength,
  description: "words of lower-case letters (a to z) and digits, joined by single hyphens, such as my-shop",
});
const Origins = Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.maxOriginLength }), {
  maxItems: LIMITS.maxAllowedOrigins,
  description: "scheme://host[:port]; https://*.example.com, http://localhost:* and * are patterns",
});
const FrameworkHint = Nullable(
  Type.String({
    pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
    description:
      "a framework's name of at most 64 letters, digits, dots, hyphens and underscores, such as nextjs",
  }),
);

/** The overrides of one source; null is the service's default. */
export const SourceLimits = Closed({
  maxBatchSize: Nullable(Type.Integer({ minimum: 1, maximum: LIMITS.maxBatchSizeCeiling })),
  maxPayloadBytes: Nullable(Type.Integer({ minimum: 1_024, maximum: LIMITS.maxPayloadBytesCeiling })),
  clientRatePerSecond: Nullable(Type.Integer({ minimum: 1, maximum: LIMITS.clientRatePerSecondCeiling })),
});
export type SourceLimits = Static<typeof SourceLimits>;

/** What the pages of a source must heed before they count a visitor; it comes to them with the bootstrap's answer. */
export const Privacy = Closed({
  respectGpc: Type.Boolean({
    description: "Global Privacy Control is obeyed: such visitors are not counted",
  }),
  requireConsent: Type.Boolean({
    description: "nothing is counted or stored in the browser before the page says that consent was given",
  }),
});
export type Privacy = Static<typeof Privacy>;
const PrivacyPatch = Closed({
  respectGpc: Type.Optional(Privacy.properties.respectGpc),
  requireConsent: Type.Optional(Privacy.properties.requireConsent),
});

export const Source = Closed({
  sourceId: Type.String(),
  organizationId: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  publicKey: Type.String(),
  allowedOrigins: Type.Array(Type.String()),
  frameworkHint: Nullable(Type.String()),
  isActive: Type.Boolean(),
  requireOrigin: Type.Boolean(),
  privacy: Privacy,
  ...Counting,
  limits: SourceLimits,
  previousKeyExpiresAt: Nullable(Time),
  publicKeyRotatedAt: Nullable(Time),
  lastBootstrapAt: Nullable(Time),
  lastEventAt: Nullable(Time),
  createdAt: Time,
  updatedAt: Time,
});
export type Source = Static<typeof Source>;

export const SourceList = Closed({ sources: Type.Array(Source), nextCursor: Nullable(Type.String()) });

export const CreateSourceBody = Closed({
  organizationId: Id,
  name: Name,
  slug: Type.Optional(Nullable(Slug)),
  allowedOrigins: Type.Optional(Origins),
  frameworkHint: Type.Optional(FrameworkHint),
  requireOrigin: Type.Optional(Type.Boolean()),
  privacy: Type.Optional(PrivacyPatch),
  ...CountingPatch,
});
export type CreateSourceBody = Static<typeof CreateSourceBody>;

const LimitsPatch = Closed({
  maxBatchSize: Type.Optional(SourceLimits.properties.maxBatchSize),
  maxPayloadBytes: Type.Optional(SourceLimits.properties.maxPayloadBytes),
  clientRatePerSecond: Type.Optional(SourceLimits.properties.clientRatePerSecond),
});

export const UpdateSourceBody = Closed({
  organizationId: Id,
  name: Type.Optional(Name),
  slug: Type.Optional(Slug),
  allowedOrigins: Type.Optional(Origins),
  frameworkHint: Type.Optional(FrameworkHint),
  isActive: Type.Optional(Type.Boolean()),
  requireOrigin: Type.Optional(Type.Boolean()),
  privacy: Type.Optional(PrivacyPatch),
  ...CountingPatch,
  limits: Type.Optional(LimitsPatch),
});
export type UpdateSourceBody = Static<typeof UpdateSourceBody>;

const Grace = Type.Integer({ minimum: 0, maximum: LIMITS.maxGraceSeconds });
export const RegenerateKeyBody = Closed({
  organizationId: Type.Optional(Id),
  gracePeriodSeconds: Type.Optional(Grace),
});
export type RegenerateKeyBody = Static<typeof RegenerateKeyBody>;

export const RestoreKeyBody = Closed({
  organizationId: Type.Optional(Id),
  publicKey: Id,
  gracePeriodSeconds: Type.Integer({ minimum: 1, maximum: LIMITS.maxGraceSeconds }),
});
export type RestoreKeyBody = Static<typeof RestoreKeyBody>;

export const DeletedSource = Closed({ sourceId: Type.String(), deletedAt: Time });

/** A path of the user's own site: no empty and no dot segments, so that every proxy reads it alike. */
export const SITE_PATH = "^(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*){1,5}$";
const SitePath = Type.String({
  pattern: SITE_PATH,
  maxLength: LIMITS.maxSitePathLength,
  description:
    "a path of the application's own site, such as /hw: up to five parts of letters, digits and . _ ~ -",
});

export const InstallQuery = Closed({ organizationId: Type.Optional(Id), path: Type.Optional(SitePath) });

/** What a page's Content-Security-Policy must allow, in addition to what it allows already. */
const InstallCsp = Closed({
  scriptSrc: Type.Array(Type.String(), { description: "to add to script-src" }),
  connectSrc: Type.Array(Type.String(), { description: "to add to connect-src" }),
  snippetHash: Type.String({
    description:
      "to add to script-src where inline scripts are let in by hash or nonce; where 'unsafe-inline' lets them in it must not be added, since it would end that",
  }),
});

/** The service under a path of the application's own site: rewrites for what serves that site. */
const InstallProxy = Closed({
  path: Type.String(),
  browserSnippet: Type.String({ description: "the browser snippet, loading from and sending to that path" }),
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
    curl: Type.String(),
  }),
  csp: InstallCsp,
  proxy: InstallProxy,
});
export type InstallPayload = Static<typeof InstallPayload>;

/** The limits that hold for one source, as debug and support show them. */
export const AppliedLimits = Closed({
  maxBatchSize: Count,
  maxPayloadBytes: Count,
  maxEventBytes: Count,
  maxEventAgeSeconds: Count,
  dedupWindowSeconds: Count,
  sessionTimeoutSeconds: Count,
  requestRate: Closed({
    client: Closed({ perSecond: Count, burst: Count }),
    source: Closed({ perSecond: Count, burst: Count }),
  }),
});
export type AppliedLimits = Static<typeof AppliedLimits>;
