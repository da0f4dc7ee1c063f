/** Sources as the API shows them, the bodies that change them, and their keys (spec 2.1, docs/api/sources.md). */
import Type, { type Static } from "typebox";
import { CONTENT_LIMIT_NAMES, CONTENT_LIMITS, type ContentLimit, LIMITS } from "./limits.ts";
import {
  Closed,
  Count,
  count,
  id,
  NextCursor,
  Nullable,
  OrganizationId,
  SameOrganizationId,
  text,
  time,
  timeOrNull,
} from "./shapes.ts";
import { SOURCE_CREATE_INPUTS, SOURCE_FIELD_INPUTS, SOURCE_FIELDS } from "./source-fields.ts";

export const Source = Closed({
  sourceId: text("The id of the source."),
  organizationId: text("The workspace that the source belongs to."),
  publicKey: text("The key that pages send events with. It is public, and identifies the source."),
  ...SOURCE_FIELDS,
  previousKeyExpiresAt: timeOrNull("When the previous public key stops working; null: there is none."),
  publicKeyRotatedAt: timeOrNull("When the public key was last replaced; null: never."),
  lastBootstrapAt: timeOrNull("The last successful bootstrap; null: none yet."),
  lastEventAt: timeOrNull("When the last event was accepted; null: none yet."),
  createdAt: time("When the source was created."),
  updatedAt: time("When the source was last changed."),
});
export type Source = Static<typeof Source>;

export const SourceList = Closed({
  sources: Type.Array(Source, { description: "The sources of this page." }),
  nextCursor: NextCursor,
});

export const CreateSourceBody = Closed({ organizationId: OrganizationId, ...SOURCE_CREATE_INPUTS });
export type CreateSourceBody = Static<typeof CreateSourceBody>;

const echoed = Type.Optional(
  text("Read-only. The value that the source has is ignored, any other one is refused."),
);
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
      client: rate("Requests of one client address to the source."),
      source: rate("Requests to the source."),
    },
    { description: "The rate limits of ingest." },
  ),
  clientBytesPerSecond: Nullable(Count, {
    description: "Bytes of bodies of one client address a second; null: no limit.",
  }),
  ...contentLimits,
  dailyQuota: Closed(
    { source: DailyQuota, workspace: DailyQuota },
    { description: "What the source, and all sources of the workspace together, can store in a UTC day." },
  ),
});
export type AppliedLimits = Static<typeof AppliedLimits>;
