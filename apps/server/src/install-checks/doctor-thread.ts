/**
 * The thread of one POST …/test. Everything that a foreign page decides happens here: requests, reading, and the checks. It
 * imports no schemas: with them a thread starts in the double time and takes 40 MB more.
 */
import { parentPort, workerData } from "node:worker_threads";
import { SERVER_LIMITS } from "../core/limits.ts";
import { createPublicGuard } from "./address-guard.ts";
import { runDoctor } from "./doctor.ts";
import type { PageTest } from "./page-test.ts";

const test: PageTest = workerData;
const { pageUrl, service, ownUrl, startedAt } = test;
// the service's clock may differ from this machine's
const clockAheadMs = startedAt - Date.now();

const verification = await runDoctor({
  pageUrl,
  service,
  guard: createPublicGuard(new URL(ownUrl)),
  deadline: AbortSignal.timeout(SERVER_LIMITS.siteTestMs),
  clock: () => Date.now() + clockAheadMs,
});
parentPort?.postMessage(verification);
