/**
 * POST …/verify checks a page's own report: the service requests nothing, so what the page does not know stays unknown.
 * POST …/test runs the doctor's checks of a page. The service requests public addresses only, besides its own.
 */
import { compileOrigins } from "@headwater/contract/origin";
import type { Config } from "../config/settings.ts";
import type { Handler, HandlerWith } from "../http/handler.ts";
import type { IngestLedger } from "../ledger/ledger.ts";
import type { SourceRecord } from "../ledger/records.ts";
import { createAdmission } from "../overload/admission.ts";
import { diagnose } from "./diagnose.ts";
import { originOf, type ServiceEvidence, toUnknownService } from "./evidence.ts";
import { testPage } from "./page-test.ts";

/** A thread takes up to 75 MB. */
const MAX_ACTIVE_SITE_TESTS = 1;
const MAX_WAITING_SITE_TESTS = 20;

export interface InstallCheckServices {
  readonly ledger: Pick<IngestLedger, "sourceByKey">;
  readonly config: Pick<Config, "INGEST_ALIAS">;
  readonly addresses: () => { readonly baseUrl: string };
  readonly clock: () => number;
}

/** The facts that the service knows about itself and the source. */
function evidenceOf(source: SourceRecord, { config, addresses }: InstallCheckServices): ServiceEvidence {
  const { sourceId, publicKey, privacy, engagement } = source;
  const apiBaseUrl = addresses().baseUrl.replace(/\/+$/, "");
  const service = toUnknownService({ publicKey, apiBaseUrl, alias: config.INGEST_ALIAS });
  return { ...service, sourceId, ...privacy, engagement };
}

export const verifyInstall: HandlerWith<InstallCheckServices, "verifyInstall"> = async (call, services) => {
  const { source, body, now } = call;
  const { report } = body;
  const keyInPage = report.snippets[0]?.publicKey ?? source.publicKey;
  const keyed = await services.ledger.sourceByKey({ publicKey: keyInPage, now });
  const service: ServiceEvidence = {
    ...evidenceOf(source, services),
    expectedKeyState: "current",
    pageKeyState: keyed?.source.sourceId === source.sourceId ? keyed.keyState : "unknown",
    pageKeyEndsAt: keyed?.source.sourceId === source.sourceId ? keyed.keyExpiresAt : null,
    isActive: source.isActive,
    isOriginAllowed: compileOrigins(source.allowedOrigins).allows(originOf(report.url)),
    clockAheadMs: Date.parse(report.sentAt) - now,
  };
  return { body: diagnose({ report, pageProblem: null, hasUnreadPolicy: false, service }) };
};

export function createTestInstall(services: InstallCheckServices): Handler<"testInstall"> {
  const slots = createAdmission({
    maxActive: MAX_ACTIVE_SITE_TESTS,
    maxAdmitted: MAX_ACTIVE_SITE_TESTS + MAX_WAITING_SITE_TESTS,
  });
  return async ({ source, body, organizationId, signal }) => {
    const service = evidenceOf(source, services);
    const ownUrl = service.apiBaseUrl ?? "";
    const test = () => testPage({ pageUrl: body.url, service, ownUrl, startedAt: services.clock() }, signal);
    return { body: await slots.run(organizationId, test, signal) };
  };
}
