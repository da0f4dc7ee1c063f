/** Stands between a node and its PostgreSQL, and keeps what it is told to from arriving. */
import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";

interface Relay extends AsyncDisposable {
  /** The URL of the same database through the relay. */
  url: string;
  /** Whatever comes on the next connection that sends this text stays here from then on. */
  hold(text: string): void;
}

/** @param url names the folder of the server's socket, as the tests' own cluster does */
export async function startRelay(url: string): Promise<Relay> {
  const folder = decodeURIComponent(/@([^/]+)\//.exec(url)![1]!);
  const sockets = new Set<Socket>();
  let held: string | null = null;

  const server = createServer((client) => {
    const upstream = createConnection(`${folder}/.s.PGSQL.5432`);
    let isHeld = false;
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on("error", () => undefined);
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    upstream.pipe(client);
    client.on("data", (chunk: Buffer) => {
      if (held !== null && chunk.includes(held)) {
        held = null;
        isHeld = true;
      }
      if (!isHeld) upstream.write(chunk);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: url.replace(/@[^/]+\//, `@127.0.0.1:${port}/`),
    hold: (text) => {
      held = text;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
