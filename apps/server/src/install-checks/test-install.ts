/** POST …/test: the doctor's checks of a page, run by the service. It requests public addresses only, besides its own. */

import { SERVER_LIMITS } from "../core/limits.ts";
import type { Handler } from "../http/handler.ts";
import { createAdmission } from "../overload/admission.ts";
import { NOT_PROBED, type ServiceEvidence } from "./evidence.ts";
import { testPage } from "./page-test.ts";
import type { VerifyDeps } from "./verify.ts";

export interface TestInstallDeps extends Pick<VerifyDeps, "apiBaseUrl" | "alias"> {
  readonly clock: () => number;
}

export function createTestInstall({ apiBaseUrl, alias, clock }: TestInstallDeps): Handler<"testInstall"> {
  const slots = createAdmission({
    maxActive: SERVER_LIMITS.maxActiveSiteTests,
    maxAdmitted: SERVER_LIMITS.maxActiveSiteTests + SERVER_LIMITS.maxWaitingSiteTests,
  });
  return async ({ source, body, organizationId, signal }) => {
    const { sourceId, publicKey, privacy, engagement } = source;
    const base = apiBaseUrl().replace(/\/+$/, "");
    const service: ServiceEvidence = {
      sourceId,
      publicKey,
      apiBaseUrl: base,
      alias,
      ...privacy,
      engagement,
      expectedKeyState: null,
      pageKeyState: null,
      isActive: null,
      isOriginAllowed: null,
      probe: NOT_PROBED,
      clockAheadMs: null,
    };
    const test = () => testPage({ pageUrl: body.url, service, ownUrl: base, startedAt: clock() }, signal);
    return { body: await slots.run(organizationId, test, signal) };
  };
}
