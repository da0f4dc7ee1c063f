/** POST …/verify: checks a page's own report. The service requests nothing, so what the page does not know stays unknown. */
import { compileOrigins } from "@headwater/contract/origin";
import type { Handler } from "../http/handler.ts";
import type { IngestLedger } from "../ledger/ledger.ts";
import { diagnose } from "./diagnose.ts";
import { NOT_PROBED, originOf, type ServiceEvidence } from "./evidence.ts";

export interface VerifyDeps {
  /** The public address of the service. */
  readonly apiBaseUrl: () => string;
  /** INGEST_ALIAS. */
  readonly alias: string | null;
  readonly ledger: Pick<IngestLedger, "sourceByKey">;
}

export const verifyInstall =
  ({ apiBaseUrl, alias, ledger }: VerifyDeps): Handler<"verifyInstall"> =>
  async ({ source, body, now }) => {
    const { report } = body;
    const { sourceId, publicKey, isActive } = source;
    const keyed = await ledger.sourceByKey({ publicKey: report.snippets[0]?.publicKey ?? publicKey, now });
    const service: ServiceEvidence = {
      sourceId,
      publicKey,
      apiBaseUrl: apiBaseUrl().replace(/\/+$/, ""),
      alias,
      ...source.privacy,
      engagement: source.engagement,
      expectedKeyState: "current",
      pageKeyState: keyed?.source.sourceId === sourceId ? keyed.keyState : "unknown",
      isActive,
      isOriginAllowed: compileOrigins(source.allowedOrigins).allows(originOf(report.url)),
      probe: NOT_PROBED,
      clockAheadMs: Date.parse(report.sentAt) - now,
    };
    return { body: diagnose({ report, pageProblem: null, hasUnreadPolicy: false, service }) };
  };
