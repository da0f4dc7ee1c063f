/** Sources as the API shows them, the bodies that change them, and their keys (spec 2.1, docs/api/sources.md). */
import Type, { type Static } from "typebox";
import { CONTENT_LIMIT_NAMES, CONTENT_LIMITS, type ContentLimit, LIMITS } from "./limits.ts";
import { PageQuery } from "./operations/queries.ts";
import {
  Closed,
  Count,
  count,
  id,
  NextCursor,
  Nullable,
  OneOf,
  OrganizationId,
  SameOrganizationId,
  text,
  textOrNull,
  time,
  timeOrNull,
} from "./shapes.ts";
import { SOURCE_LIST_STATUSES, SOURCE_ORDERS, type SourceListStatus } from "./source/source-status.ts";
import { SOURCE_CREATE_INPUTS, SOURCE_FIELD_INPUTS, SOURCE_FIELDS } from "./source-fields.ts";

export const Source = Closed({
  sourceId: text("The id of the source."),
  organizationId: text("The workspace that the source belongs to."),
  publicKey: text("The key that pages send events with. It is public, and identifies the source."),
  ...SOURCE_FIELDS,
  previousKeyExpiresAt: timeOrNull("When the previous public key stops working; null: there is none."),
  publicKeyRotatedAt: timeOrNull("When the public key was last replaced; null: never."),
  lastBootstrapAt: timeOrNull("When bootstrap last succeeded; null: never."),
  lastEventAt: timeOrNull("When an event was last accepted; null: never."),
  createdAt: time("When the source was created."),
  updatedAt: time("When the source was last changed."),
});
export type Source = Static<typeof Source>;

const ListedHealth = Closed(
  {
    status: OneOf(SOURCE_LIST_STATUSES, {
      description:
        "`failing`: requests are refused. `quiet`: nothing was accepted for 24 hours. `receiving`: events arrive. `waiting`: nothing arrived yet. `off`: the source is inactive. Without `debug:read` no source is `failing`.",
    }),
    last24h: Nullable(
      Closed({
        accepted: count("Events that were stored."),
        duplicates: count("Events that had been stored before."),
        rejected: count("Events that were not stored."),
        failed: count("Requests that were refused."),
      }),
      { description: "The counts for the last 24 hours; null: the caller does not have `debug:read`." },
    ),
    topCode: textOrNull("The most frequent code of a refusal or of a rejected event in these hours."),
  },
  { description: "The health of the source." },
);
/** A source as the list has it. */
export const SourceWithHealth = Closed({ ...Source.properties, health: ListedHealth });
export type SourceWithHealth = Static<typeof SourceWithHealth>;

export const SourceList = Closed({
  sources: Type.Array(SourceWithHealth, { description: "The sources of this page." }),
  nextCursor: NextCursor,
  statuses: Closed(
    {
      failing: count("Sources with this status."),
      quiet: count("Sources with this status."),
      receiving: count("Sources with this status."),
      waiting: count("Sources with this status."),
      off: count("Sources with this status."),
    } satisfies Record<SourceListStatus, unknown>,
    { description: "How many of the sources that the search finds have each status." },
  ),
});

export const ListSourcesQuery = Closed({
  ...PageQuery.properties,
  search: Type.Optional(
    Type.String({
      maxLength: LIMITS.maxNameLength,
      description: "Only sources whose name, slug, origins, id or public key contain this text.",
    }),
  ),
  status: Type.Optional(OneOf(SOURCE_LIST_STATUSES, { description: "Only sources with this status." })),
  order: Type.Optional(
    OneOf(SOURCE_ORDERS, {
      description:
        "`created`: the newest first, the default. `status`: failing, quiet, receiving, waiting, off. `name`. `lastEvent`: the latest first.",
    }),
  ),
});
export type ListSourcesQuery = Static<typeof ListSourcesQuery>;

export const CreateSourceBody = Closed({ organizationId: OrganizationId, ...SOURCE_CREATE_INPUTS });
export type CreateSourceBody = Static<typeof CreateSourceBody>;

const echoed = Type.Optional(text("Read-only. The source's own value is ignored, any other is refused."));
const echoedTime = Type.Optional(timeOrNull("Read-only. Ignored, since the service may have changed it."));
/** The members of a source that only the service changes. An update ignores them, so that a source can be sent back as it is. */
const ECHOED_FIELDS = {
  sourceId: echoed,
  publicKey: echoed,
  createdAt: echoedTime,
  updatedAt: echoedTime,
  previousKeyExpiresAt: echoedTime,
  publicKeyRotatedAt: echoedTime,
  lastBootstrapAt: echoedTime,
  lastEventAt: echoedTime,
  health: Type.Optional(Type.Unknown({ description: "Read-only. Ignored." })),
};

export const UpdateSourceBody = Closed({
  organizationId: id("The workspace of the source."),
  ...SOURCE_FIELD_INPUTS,
  ...ECHOED_FIELDS,
});
export type UpdateSourceBody = Static<typeof UpdateSourceBody>;

export const RegenerateKeyBody = Closed({
  organizationId: SameOrganizationId,
  gracePeriodSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.maxGraceSeconds,
      default: 0,
      description: "How long the old key still works. 0: it stops working within a second.",
    }),
  ),
});
export type RegenerateKeyBody = Static<typeof RegenerateKeyBody>;

export const RestoreKeyBody = Closed({
  organizationId: SameOrganizationId,
  publicKey: id("A retired key of the source."),
  gracePeriodSeconds: Type.Integer({
    minimum: 1,
    maximum: LIMITS.maxGraceSeconds,
    description: "How long the key works again.",
  }),
});
export type RestoreKeyBody = Static<typeof RestoreKeyBody>;

export const DeletedSource = Closed({
  sourceId: text("The id of the source."),
  deletedAt: time("When it was deleted."),
});

/** The most that can be stored in a UTC day. null: no limit. */
export const DailyQuota = Closed({
  events: Nullable(Count, { description: "Accepted events; null: no limit." }),
  bytes: Nullable(Count, {
    description: "Decompressed bytes of the bodies of requests that stored something; null: no limit.",
  }),
});
export type DailyQuota = Static<typeof DailyQuota>;

/** The limits that hold for one source, as the debug view shows them. */
const rate = (description: string) =>
  Closed(
    {
      perSecond: count("Requests a second, over time."),
      burst: count("Requests that can come at once."),
    },
    { description },
  );
const contentLimits = Object.fromEntries(
  CONTENT_LIMIT_NAMES.map((name) => [name, count(CONTENT_LIMITS[name])]),
) as Record<ContentLimit, ReturnType<typeof count>>;

export const AppliedLimits = Closed({
  maxBatchSize: count("Events in a batch."),
  maxPayloadBytes: count("Bytes of a body after decompression."),
  maxEventBytes: count("Bytes of one event."),
  maxEventAgeSeconds: count("The greatest age of an event."),
  dedupWindowSeconds: count("How long the id of an event is remembered."),
  sessionTimeoutSeconds: count("A session ends after this time without activity."),
  requestRate: Closed(
    {
      client: rate("Requests from one client address to the source."),
      source: rate("Requests to the source."),
    },
    { description: "The rate limits of ingest." },
  ),
  clientBytesPerSecond: Nullable(Count, {
    description: "Bytes of bodies from one client address a second; null: no limit.",
  }),
  ...contentLimits,
  dailyQuota: Closed(
    { source: DailyQuota, workspace: DailyQuota },
    { description: "What the source, and all sources of the workspace together, can store in a UTC day." },
  ),
});
export type AppliedLimits = Static<typeof AppliedLimits>;
