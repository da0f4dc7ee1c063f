/**
 * Changes that other nodes made, by LISTEN. Whether notifications arrive is proved every half second, by one that this
 * node sends itself through the server; as long as they do not, whoever listens is told every half second that there
 * may have been changes, so that nothing is remembered for longer than it may be.
 */
import { LIMITS } from "@headwater/contract/limits";
import pg from "pg";
import { connectionOf } from "./connections.ts";
import { CHANGES } from "./migrations.ts";

export interface ForeignChanges {
  onChange(listener: () => void): void;
  close(): Promise<void>;
}

/** @param nodeId names the channel on which this node hears itself; letters, digits and _ */
export function listenForChanges(url: string, nodeId: string): ForeignChanges {
  const listeners: (() => void)[] = [];
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const echo = `headwater_echo_${nodeId}`;
  let client: pg.Client | null = null;
  let connecting: Promise<void> | null = null;
  let heard = false;
  let closed = false;

  const drop = () => {
    const dropped = client;
    client = null;
    heard = false;
    void dropped?.end().catch(() => undefined);
  };
  const connect = async () => {
    const connected = new pg.Client(connectionOf(url));
    connected.on("error", () => connected === client && drop());
    connected.on("notification", ({ channel }) => {
      if (channel === echo) heard = true;
      else tell();
    });
    try {
      await connected.connect();
      await connected.query(`listen ${CHANGES}; listen ${echo}; notify ${echo}`);
      if (closed) return void (await connected.end());
      client = connected;
      tell();
    } catch {
      void connected.end().catch(() => undefined);
    }
  };
  const beat = () => {
    const isHeard = heard;
    heard = false;
    if (!isHeard) {
      drop();
      tell();
      connecting ??= connect().finally(() => {
        connecting = null;
      });
    } else client?.query(`notify ${echo}`).catch(drop);
  };

  connecting = connect().finally(() => {
    connecting = null;
  });
  const timer = setInterval(beat, LIMITS.changePollMs).unref();
  return {
    onChange: (listener) => listeners.push(listener),
    close: async () => {
      closed = true;
      clearInterval(timer);
      await connecting;
      await client?.end().catch(() => undefined);
    },
  };
}
