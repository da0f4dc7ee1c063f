/** POST …/test: the doctor's checks of a page, run by the service. It requests public addresses only, besides its own. */
import type { Handler } from "../http/handler.ts";
import { createAdmission } from "../overload/admission.ts";
import { NOT_PROBED, type ServiceEvidence } from "./evidence.ts";
import { testPage } from "./page-test.ts";
import type { VerifyDeps } from "./verify.ts";

/** A thread takes up to 75 MB. */
const MAX_ACTIVE_SITE_TESTS = 1;
const MAX_WAITING_SITE_TESTS = 20;

export interface TestInstallDeps extends Pick<VerifyDeps, "apiBaseUrl" | "alias"> {
  readonly clock: () => number;
}

export function createTestInstall({ apiBaseUrl, alias, clock }: TestInstallDeps): Handler<"testInstall"> {
  const slots = createAdmission({
    maxActive: MAX_ACTIVE_SITE_TESTS,
    maxAdmitted: MAX_ACTIVE_SITE_TESTS + MAX_WAITING_SITE_TESTS,
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
