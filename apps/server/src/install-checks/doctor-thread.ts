/** The thread of one POST …/test. Everything that a foreign page decides happens here: requests, reading, and the checks. */
import { parentPort, workerData } from "node:worker_threads";
import { SERVER_LIMITS } from "../core/limits.ts";
import { createPublicGuard } from "./address-guard.ts";
import { runDoctor } from "./doctor.ts";
import type { PageTest } from "./page-test.ts";

// what `testPage` started this thread with
const { pageUrl, service, ownUrl, startedAt } = workerData as PageTest;
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
