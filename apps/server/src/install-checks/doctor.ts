/** Fetches a page as its visitors get it, asks the service as the page would, and checks the install (docs/api/install.md). */
import type { Verification } from "@headwater/contract";
import type { AddressGuard } from "./address-guard.ts";
import { diagnose } from "./diagnose.ts";
import {
  apiBaseOf,
  type Evidence,
  originOf,
  type ServiceEvidence,
  scriptUrlOf,
  toEvidence,
} from "./evidence.ts";
import { fetchPage } from "./fetch-page.ts";
import { probeApi, probeScript, toServiceProbe } from "./probe.ts";
import { createSender, type SendRequest } from "./send-request.ts";

interface DoctorOptions {
  /** The page, at the address that its visitors open. */
  readonly pageUrl: string;
  /** The facts about the service and the source that need no request. */
  readonly service: ServiceEvidence;
  readonly guard: AddressGuard;
  /** Aborts every request that is still open. */
  readonly deadline: AbortSignal;
  /** Milliseconds since the epoch, of this machine. */
  readonly clock: () => number;
}

/**
 * Asks the service as the page would. The request with the expected key decides about the source and the origin. If the page
 * has a different key, another request checks that key.
 */
async function probeService(
  evidence: Evidence,
  { clock }: DoctorOptions,
  send: SendRequest,
): Promise<ServiceEvidence> {
  const { report, service } = evidence;
  const apiBaseUrl = apiBaseOf(evidence);
  const scriptUrl = scriptUrlOf(evidence);
  if (apiBaseUrl === null || scriptUrl === null) return service;
  const [snippet] = report.snippets;
  const origin = originOf(report.url);
  const keyInPage = snippet?.publicKey ?? service.publicKey;
  const expected = await probeApi({ apiBaseUrl, publicKey: service.publicKey, origin, clock, send });
  const found =
    keyInPage === service.publicKey
      ? expected
      : await probeApi({ apiBaseUrl, publicKey: keyInPage, origin, clock, send });
  const isBundled = snippet?.kind === "bundle" && snippet.scriptUrl === null;
  return {
    ...service,
    expectedKeyState: expected.keyState,
    pageKeyState: found.keyEndsAt === null ? found.keyState : "previous",
    pageKeyEndsAt: found.keyEndsAt,
    isActive: expected.isActive,
    isOriginAllowed: expected.isOriginAllowed,
    clockAheadMs: expected.clockAheadMs,
    probe: toServiceProbe(expected, isBundled ? null : await probeScript(scriptUrl, send)),
  };
}

export async function runDoctor(options: DoctorOptions): Promise<Verification> {
  const { pageUrl, service, guard, deadline, clock } = options;
  const send = createSender(guard, deadline);
  const page = await fetchPage(pageUrl, send);
  const evidence = toEvidence(page, service, clock());
  return diagnose({ ...evidence, service: await probeService(evidence, options, send) });
}
