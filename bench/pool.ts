/** Connections of the open loop: the one used last is used first, more are opened when none is free, up to a bound. */
import { type Connection, openConnection } from "./connection.ts";

type Job = (connection: Connection) => void;

export interface Pool {
  /** Gives a connection to the job, at once or when there is one. @returns false: too many wait already */
  take(job: Job): boolean;
  giveBack(connection: Connection): void;
  /** The most connections that were open at once. */
  most(): number;
  close(): void;
}

const MAX_WAITING = 50_000;

export function createPool(port: number, bound: number): Pool {
  const all = new Set<Connection>();
  const gone = new WeakSet<Connection>();
  let free: Connection[] = [];
  let waiting: Job[] = [];
  let waitingFrom = 0;
  let closed = false;
  let most = 0;

  const nextJob = (): Job | undefined => {
    const job = waiting[waitingFrom];
    if (!job) return undefined;
    waitingFrom += 1;
    if (waitingFrom === waiting.length) {
      waiting = [];
      waitingFrom = 0;
    }
    return job;
  };

  const serve = (connection: Connection) => {
    const job = nextJob();
    if (job) job(connection);
    else free.push(connection);
  };

  const open = () => {
    const connection: Connection = openConnection(
      port,
      () => serve(connection),
      () => {
        gone.add(connection);
        all.delete(connection);
        // whoever waits for a connection waits for another one now
        if (!closed && waitingFrom < waiting.length && all.size < bound) open();
      },
    );
    all.add(connection);
    most = Math.max(most, all.size);
  };

  return {
    take(job) {
      for (let connection = free.pop(); connection; connection = free.pop()) {
        if (gone.has(connection)) continue;
        job(connection);
        return true;
      }
      if (waiting.length - waitingFrom >= MAX_WAITING) return false;
      waiting.push(job);
      if (all.size < bound) open();
      return true;
    },
    giveBack(connection) {
      if (!gone.has(connection)) serve(connection);
    },
    most: () => most,
    close() {
      closed = true;
      free = [];
      for (const connection of all) connection.destroy();
    },
  };
}
