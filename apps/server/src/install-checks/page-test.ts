/**
 * Runs the doctor's checks of a page in a thread of its own, which is ended after a time and beyond a memory. So no page can
 * slow ingest down or end the process, whatever is in it.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Verification } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { diagnose } from "./diagnose.ts";
import { type ServiceEvidence, toEvidence, unreadPage } from "./evidence.ts";

/** After this longer time the thread of the run is ended. */
const SITE_TEST_GRACE_MS = 5_000;
/** Memory of the thread. The largest hostile pages took 30 MB, and the modules 10 MB. */
const MAX_SITE_TEST_THREAD_MB = 64;
const MAX_SITE_TEST_THREAD_YOUNG_MB = 16;

/** The arguments of the thread. */
export interface PageTest {
  readonly pageUrl: string;
  readonly service: ServiceEvidence;
  /** BASE_URL. */
  readonly ownUrl: string;
  /** Milliseconds since the epoch, by the service's clock. */
  readonly startedAt: number;
}

/** @param signal aborts when the caller has gone */
export async function testPage(test: PageTest, signal: AbortSignal): Promise<Verification> {
  const { siteTestMs } = SERVER_LIMITS;
  const worker = new Worker(new URL("./doctor-thread.ts", import.meta.url), {
    name: "doctor",
    workerData: test,
    resourceLimits: {
      maxOldGenerationSizeMb: MAX_SITE_TEST_THREAD_MB,
      maxYoungGenerationSizeMb: MAX_SITE_TEST_THREAD_YOUNG_MB,
    },
  });
  // once nobody waits, an error without a listener would end the service
  worker.on("error", () => undefined);
  const ended = AbortSignal.any([signal, AbortSignal.timeout(siteTestMs + SITE_TEST_GRACE_MS)]);
  try {
    // rejects when the thread fails, as it does beyond its memory
    const [verification]: Verification[] = await once(worker, "message", { signal: ended });
    if (verification) return verification;
  } catch {
    signal.throwIfAborted();
  } finally {
    await worker.terminate();
  }
  const page = unreadPage(test.pageUrl, "needs more time or memory to read than a test may use");
  return diagnose(toEvidence(page, test.service, test.startedAt));
}
