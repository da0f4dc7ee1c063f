/** A keep-alive connection of the open loop. It sends raw bytes, one request at a time, and parses the response itself. */
import { connect, type Socket } from "node:net";

export interface OpenLoopResponse {
  status: number;
  body: string;
  /** Whether the server closes the connection after this response. */
  closes: boolean;
}

export interface OpenLoopConnection {
  /** @param done receives the response; null when the connection broke before it was complete */
  send(request: Buffer, done: (answer: OpenLoopResponse | null) => void): void;
  destroy(): void;
}

const HEAD_END = "\r\n\r\n";

/** @param text the received bytes as Latin-1, so that one character is one byte @returns null while the response is incomplete */
function parse(text: string): OpenLoopResponse | null {
  const end = text.indexOf(HEAD_END);
  if (end < 0) return null;
  const head = text.slice(0, end);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  if (text.length < end + HEAD_END.length + length) return null;
  return {
    status: Number(text.slice(9, 12)),
    body: text.slice(end + HEAD_END.length),
    closes: /\r\nconnection: close/i.test(head),
  };
}

/**
 * @param onOpen called once, when the connection can take a request
 * @param onClosed called once, when it can take no more requests
 */
export function openConnection(port: number, onOpen: () => void, onClosed: () => void): OpenLoopConnection {
  const socket: Socket = connect({ host: "127.0.0.1", port, noDelay: true });
  let waiting: ((answer: OpenLoopResponse | null) => void) | null = null;
  let received = "";
  let isClosed = false;

  const finish = (answer: OpenLoopResponse | null) => {
    const done = waiting;
    waiting = null;
    received = "";
    done?.(answer);
  };
  const end = () => {
    if (isClosed) return;
    isClosed = true;
    socket.destroy();
    finish(null);
    onClosed();
  };
  socket.once("connect", onOpen);
  socket.on("data", (chunk: Buffer) => {
    received = received === "" ? chunk.toString("latin1") : received + chunk.toString("latin1");
    const answer = parse(received);
    if (!answer) return;
    // marked as closed before the response is handled, so that the pool gives it no other request
    if (answer.closes) {
      isClosed = true;
      socket.destroy();
      onClosed();
    }
    finish(answer);
  });
  socket.once("end", end);
  socket.once("error", end);
  socket.once("close", end);

  return {
    send(request, done) {
      waiting = done;
      socket.write(request);
    },
    destroy: () => socket.destroy(),
  };
}
