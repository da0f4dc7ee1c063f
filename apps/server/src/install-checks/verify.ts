/** POST …/verify: checks a page's own report. The service requests nothing, so what the page does not know stays unknown. */
import type { KeyState } from "@headwater/contract";
import type { Handler } from "../http/handler.ts";
import type { SourceRecord } from "../ledger/records.ts";
import { diagnose } from "./diagnose.ts";
import { NOT_PROBED, originOf, type ServiceEvidence } from "./evidence.ts";

export interface VerifyDeps {
  /** The public address of the service. */
  readonly apiBaseUrl: () => string;
  /** INGEST_ALIAS. */
  readonly alias: string | null;
  readonly allows: (source: SourceRecord, origin: string) => boolean;
  /** The state of a key of this source; null: it is not a key of this source. */
  readonly keyStateOf: (source: SourceRecord, publicKey: string, now: number) => Promise<KeyState | null>;
}

export const verifyInstall =
  ({ apiBaseUrl, alias, allows, keyStateOf }: VerifyDeps): Handler<"verifyInstall"> =>
  async ({ source, body, now }) => {
    const { report } = body;
    const { sourceId, publicKey, isActive } = source;
    const keyInPage = report.snippets[0]?.publicKey ?? publicKey;
    const service: ServiceEvidence = {
      sourceId,
      publicKey,
      apiBaseUrl: apiBaseUrl().replace(/\/+$/, ""),
      alias,
      ...source.privacy,
      engagement: source.engagement,
      expectedKeyState: "current",
      pageKeyState: (await keyStateOf(source, keyInPage, now)) ?? "unknown",
      isActive,
      isOriginAllowed: allows(source, originOf(report.url)),
      probe: NOT_PROBED,
      clockAheadMs: Date.parse(report.sentAt) - now,
    };
    return { body: diagnose({ report, pageProblem: null, hasUnreadPolicy: false, service }) };
  };
