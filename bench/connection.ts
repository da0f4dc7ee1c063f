/** One keep-alive connection of the open loop: a request at a time, written as the bytes it is, the answer read by hand. */
import { connect, type Socket } from "node:net";

export interface Answer {
  status: number;
  body: string;
  /** The server closes the connection after it. */
  closes: boolean;
}

export interface Connection {
  /** @param done null: the connection broke before the answer was whole */
  send(request: Buffer, done: (answer: Answer | null) => void): void;
  destroy(): void;
}

const HEAD_END = "\r\n\r\n";

/** The answer, once all of it is there. Its bytes are read as Latin-1, so that characters are bytes. */
function parse(text: string): Answer | null {
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
 * @param onOpen once, when it can take a request
 * @param onGone once, when it cannot any more
 */
export function openConnection(port: number, onOpen: () => void, onGone: () => void): Connection {
  const socket: Socket = connect({ host: "127.0.0.1", port, noDelay: true });
  let waiting: ((answer: Answer | null) => void) | null = null;
  let received = "";
  let gone = false;

  const finish = (answer: Answer | null) => {
    const done = waiting;
    waiting = null;
    received = "";
    done?.(answer);
  };
  const end = () => {
    if (gone) return;
    gone = true;
    socket.destroy();
    finish(null);
    onGone();
  };
  socket.once("connect", onOpen);
  socket.on("data", (chunk: Buffer) => {
    received = received === "" ? chunk.toString("latin1") : received + chunk.toString("latin1");
    const answer = parse(received);
    if (!answer) return;
    // gone before the answer is looked at, so that no request is given to it any more
    if (answer.closes) {
      gone = true;
      socket.destroy();
      onGone();
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
