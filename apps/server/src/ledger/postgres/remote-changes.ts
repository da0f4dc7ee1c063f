/**
 * Changes that other nodes made, by LISTEN. Whether notifications arrive is proved every half second, by one that this
 * node sends itself through the server; as long as they do not, whoever listens is told every half second that there
 * may have been changes, so that nothing is remembered for longer than it may be.
 */

import pg from "pg";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { LedgerChange } from "../ledger.ts";
import { connectionOf } from "./connections.ts";
import { CHANGES } from "./nodes-ddl.ts";

export interface RemoteChanges {
  onChange(listener: (change: LedgerChange) => void): void;
  close(): Promise<void>;
}

/** null: it was this node itself that told. What is not understood, a newer version told. */
export function changeOf(payload: string, nodeId: string): LedgerChange | null {
  const [kind, ...words] = payload.split(" ");
  if (kind === "tokens") return { kind };
  const [one, sourceId, sessionId] = words;
  if (kind === "source" && one) return { kind, sourceId: one };
  if (kind === "session" && sourceId && sessionId)
    return one === nodeId ? null : { kind, sourceId, sessionId };
  return { kind: "everything" };
}

export const sessionPayload = (nodeId: string, sourceId: string, sessionId: string) =>
  `session ${nodeId} ${sourceId} ${sessionId}`;

/** @param nodeId names the channel on which this node hears itself; letters, digits and _ */
export function listenForChanges(url: string, nodeId: string): RemoteChanges {
  const listeners: ((change: LedgerChange) => void)[] = [];
  const tell = (change: LedgerChange | null) => {
    if (change) for (const listener of listeners) listener(change);
  };
  const echo = `headwater_echo_${nodeId}`;
  let client: pg.Client | null = null;
  let connecting: Promise<void> | null = null;
  let heard = false;

  const drop = () => {
    const dropped = client;
    client = null;
    heard = false;
    void dropped?.end().catch(() => undefined);
  };
  const connect = async () => {
    const connected = new pg.Client(connectionOf(url));
    // what a connection says that was given up proves nothing of the one in its place
    const isCurrent = () => connected === client;
    client = connected;
    connected.on("error", () => {
      if (!isCurrent()) return;
      drop();
      // the server may come back in an earlier state before the next beat
      tell({ kind: "everything" });
    });
    connected.on("notification", ({ channel, payload = "" }) => {
      if (channel !== echo) tell(changeOf(payload, nodeId));
      else if (isCurrent()) heard = true;
    });
    try {
      await connected.connect();
      await connected.query(`listen ${CHANGES}; listen ${echo}; notify ${echo}`);
      tell({ kind: "everything" });
    } catch {
      if (isCurrent()) drop();
      else void connected.end().catch(() => undefined);
    }
  };
  const reconnect = () => {
    connecting = connect().finally(() => {
      connecting = null;
    });
  };
  const beat = () => {
    const isHeard = heard;
    heard = false;
    if (isHeard) return void client?.query(`notify ${echo}`).catch(drop);
    tell({ kind: "everything" });
    if (connecting) return;
    drop();
    reconnect();
  };

  reconnect();
  const timer = setInterval(beat, SERVER_LIMITS.changePollMs).unref();
  return {
    onChange: (listener) => listeners.push(listener),
    close: async () => {
      clearInterval(timer);
      await connecting;
      await client?.end().catch(() => undefined);
    },
  };
}
