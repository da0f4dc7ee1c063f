/** Imported into every thread of a service: ends the thread named by ENDED_THREAD when the process receives SIGCONT. */
import { BroadcastChannel, isMainThread, threadName } from "node:worker_threads";

const ended = new BroadcastChannel("headwater-ended-thread");
if (isMainThread) {
  process.on("SIGCONT", () => ended.postMessage(process.env.ENDED_THREAD));
} else {
  ended.onmessage = ({ data }: { data: unknown }) => {
    if (data === threadName) process.exit(7);
  };
}
ended.unref();
