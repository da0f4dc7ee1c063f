/** Opens many idle connections in a separate process. The parent sends their number, and "count" to get their states. */
import { connect } from "node:net";

const AT_ONCE = 200;
const counts = { opened: 0, failed: 0, closed: 0 };

function openOne(port: number, host: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.on("connect", () => {
      counts.opened += 1;
      resolve();
    });
    socket.on("error", () => {
      counts.failed += 1;
      resolve();
    });
    socket.on("close", () => {
      counts.closed += 1;
    });
    // reads the final response of the server; otherwise the socket would never close
    socket.resume();
  });
}

async function openAll({
  host,
  port,
  wanted,
}: {
  host: string;
  port: number;
  wanted: number;
}): Promise<void> {
  for (let left = wanted; left > 0; left -= AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, left) }, () => openOne(port, host)));
  }
}

process.on("message", (message: { host: string; port: number; wanted: number } | "count") => {
  if (message === "count") process.send?.(counts);
  else void openAll(message).then(() => process.send?.(counts));
});
process.on("disconnect", () => process.exit(0));
