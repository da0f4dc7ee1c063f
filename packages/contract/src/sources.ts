/** Sources as the API shows them, the bodies that change them, and their keys (spec 2.1, docs/contract.md section 2). */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import { Closed, Count, Id, Nullable, Time } from "./shapes.ts";
import { SOURCE_CREATE_INPUTS, SOURCE_FIELD_INPUTS, SOURCE_FIELDS } from "./source-fields.ts";

export const Source = Closed({
  sourceId: Type.String(),
  organizationId: Type.String(),
  publicKey: Type.String(),
  ...SOURCE_FIELDS,
  previousKeyExpiresAt: Nullable(Time),
  publicKeyRotatedAt: Nullable(Time),
  lastBootstrapAt: Nullable(Time),
  lastEventAt: Nullable(Time),
  createdAt: Time,
  updatedAt: Time,
});
export type Source = Static<typeof Source>;

export const SourceList = Closed({ sources: Type.Array(Source), nextCursor: Nullable(Type.String()) });

export const CreateSourceBody = Closed({ organizationId: Id, ...SOURCE_CREATE_INPUTS });
export type CreateSourceBody = Static<typeof CreateSourceBody>;

export const UpdateSourceBody = Closed({ organizationId: Id, ...SOURCE_FIELD_INPUTS });
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

/** What can be stored in a UTC day. null: no limit. */
export const DailyQuota = Closed({ events: Nullable(Count), bytes: Nullable(Count) });
export type DailyQuota = Static<typeof DailyQuota>;

/** The limits that hold for one source, as the debug view shows them. */
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
  clientBytesPerSecond: Nullable(Count),
  dailyQuota: Closed({ source: DailyQuota, workspace: DailyQuota }),
});
export type AppliedLimits = Static<typeof AppliedLimits>;
