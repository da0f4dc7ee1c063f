/** The paths of the ingest routes, as answers name them (spec 4.2 and 4.3). */
import type { AttemptKind } from "@headwater/contract";

export const ingestPath = (publicKey: string, kind: AttemptKind): string =>
  `/api/ingest/v2/${publicKey}/${kind}`;
/** The route without `/v2`, which accepts bodies without the version fields. */
export const legacyIngestPath = (publicKey: string, kind: AttemptKind): string =>
  `/api/ingest/${publicKey}/${kind}`;
