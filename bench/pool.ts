/** The connection pool of the open loop: last in, first out; it opens more connections when none is free, up to a maximum. */
import { type OpenLoopConnection, openConnection } from "./connection.ts";

type ConnectionUse = (connection: OpenLoopConnection) => void;

interface ConnectionPool {
  /** Calls the function with a connection, now or when one is free. @returns false when too many are waiting */
  take(job: ConnectionUse): boolean;
  giveBack(connection: OpenLoopConnection): void;
  /** The highest number of connections that were open at once. */
  maxOpened(): number;
  close(): void;
}

const MAX_WAITING = 50_000;

export function createPool(port: number, bound: number): ConnectionPool {
  const all = new Set<OpenLoopConnection>();
  const closedConnections = new WeakSet<OpenLoopConnection>();
  let free: OpenLoopConnection[] = [];
  let waiting: ConnectionUse[] = [];
  let waitingFrom = 0;
  let closed = false;
  let maxOpened = 0;

  const nextJob = (): ConnectionUse | undefined => {
    const job = waiting[waitingFrom];
    if (!job) return undefined;
    waitingFrom += 1;
    if (waitingFrom === waiting.length) {
      waiting = [];
      waitingFrom = 0;
    }
    return job;
  };

  const serve = (connection: OpenLoopConnection) => {
    const job = nextJob();
    if (job) job(connection);
    else free.push(connection);
  };

  const open = () => {
    const connection: OpenLoopConnection = openConnection(
      port,
      () => serve(connection),
      () => {
        closedConnections.add(connection);
        all.delete(connection);
        // replaces the closed connection when requests are waiting
        if (!closed && waitingFrom < waiting.length && all.size < bound) open();
      },
    );
    all.add(connection);
    maxOpened = Math.max(maxOpened, all.size);
  };

  return {
    take(job) {
      for (let connection = free.pop(); connection; connection = free.pop()) {
        if (closedConnections.has(connection)) continue;
        job(connection);
        return true;
      }
      if (waiting.length - waitingFrom >= MAX_WAITING) return false;
      waiting.push(job);
      if (all.size < bound) open();
      return true;
    },
    giveBack(connection) {
      if (!closedConnections.has(connection)) serve(connection);
    },
    maxOpened: () => maxOpened,
    close() {
      closed = true;
      free = [];
      for (const connection of all) connection.destroy();
    },
  };
}
