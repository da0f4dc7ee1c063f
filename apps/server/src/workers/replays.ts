/** Replays kept events a slice at a time. The ledger keeps the progress, so that any node can go on after a restart. */
import type { Ledger } from "../ledger/ledger.ts";
import type { OpenReplay, ReplayProgress } from "../ledger/records.ts";
import { startWorker, type Worker, type WorkerLog } from "./worker.ts";

/** Another node takes over when a slice has not ended after this long. */
const REPLAY_LEASE_MS = 60_000;
const REPLAY_IDLE_MS = 1_000;

interface ReplayedSlice {
  /** The number of the last event. */
  to: number;
  added: ReplayProgress;
  isDone: boolean;
}

const NOTHING_ADDED: ReplayProgress = { accepted: 0, duplicates: 0, rejected: {} };

interface ReplayWorkerDeps {
  ledger: Pick<Ledger, "claimReplay" | "advanceReplay">;
  replaySlice(replay: OpenReplay): Promise<ReplayedSlice>;
  clock(): number;
  log: WorkerLog;
}

interface ReplayWorker extends Worker {
  /** Resolves when the slice that is replayed at the moment of the call has ended. */
  sliceEnd(): Promise<void>;
}

export function startReplayWorker({ ledger, replaySlice, clock, log }: ReplayWorkerDeps): ReplayWorker {
  let current: Promise<unknown> = Promise.resolve();

  const advance = async (replay: OpenReplay) => {
    const { replayId, afterSeq } = replay;
    const note = (slice: ReplayedSlice) =>
      ledger.advanceReplay({ replayId, afterSeq, ...slice, now: clock() });
    try {
      await note(await replaySlice(replay));
    } catch (error) {
      // gives the claim back; one that cannot be given back ends by itself
      await note({ to: afterSeq, added: NOTHING_ADDED, isDone: false }).catch(() => undefined);
      throw error;
    }
  };

  const round = async () => {
    const replay = await ledger.claimReplay({ now: clock(), leaseMs: REPLAY_LEASE_MS });
    if (!replay) return false;
    const running = advance(replay);
    current = running.catch(() => undefined);
    await running;
    return true;
  };

  const worker = startWorker({
    name: "replays",
    round,
    idleMs: REPLAY_IDLE_MS,
    consequence: "kept events are not replayed",
    log,
  });
  return { ...worker, sliceEnd: async () => void (await current) };
}
