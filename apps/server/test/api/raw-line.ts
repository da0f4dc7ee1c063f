import { connect, type Socket } from "node:net";

/** A raw TCP connection to the service. Collects everything that the service sends until the connection is closed. */
export class Line {
  text = "";
  readonly closed: Promise<void>;
  readonly openedAt = performance.now();
  closedAfterMs = 0;
  readonly socket: Socket;

  constructor(url: string) {
    this.socket = connect(Number(new URL(url).port), "127.0.0.1");
    this.socket.setEncoding("latin1");
    this.socket.on("data", (chunk: string) => {
      this.text += chunk;
    });
    this.socket.on("error", () => undefined);
    this.closed = new Promise((resolve) =>
      this.socket.on("close", () => {
        this.closedAfterMs = performance.now() - this.openedAt;
        resolve();
      }),
    );
  }

  write(text: string | Uint8Array): this {
    this.socket.write(text);
    return this;
  }

  /** The statuses of the answers, in order. */
  statuses(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)]
      .map(([, status]) => Number(status))
      .filter((one) => one !== 100);
  }

  body(): Record<string, unknown> {
    return JSON.parse(this.text.slice(this.text.indexOf("\r\n\r\n") + 4));
  }
}
