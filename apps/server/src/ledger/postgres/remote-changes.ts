/**
 * Changes that other nodes make, received by LISTEN. To prove that notifications arrive, this node sends one to itself
 * every half second. While none arrives, listeners get `everything` every half second: caches then cannot be trusted.
 */
import pg from "pg";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { LedgerChange } from "../ledger.ts";
import { toClientConfig } from "./connections.ts";
import { CHANGE_CHANNEL } from "./nodes-ddl.ts";

export interface RemoteChanges {
  onChange(listener: (change: LedgerChange) => void): void;
  close(): Promise<void>;
}

/** @returns null for a session notice of this node; `everything` for a payload of a newer version */
export function parseChange(payload: string, nodeId: string): LedgerChange | null {
  const [kind, first, sourceId, sessionId] = payload.split(" ");
  if (kind === "tokens") return { kind };
  if (kind === "source" && first) return { kind, sourceId: first };
  if (kind === "session" && sourceId && sessionId)
    return first === nodeId ? null : { kind, sourceId, sessionId };
  return { kind: "everything" };
}

export const toSessionPayload = (nodeId: string, sourceId: string, sessionId: string) =>
  `session ${nodeId} ${sourceId} ${sessionId}`;

/** @param nodeId part of the name of a channel: letters, digits and _ */
export function listenForRemoteChanges(url: string, nodeId: string): RemoteChanges {
  const listeners: ((change: LedgerChange) => void)[] = [];
  const notify = (change: LedgerChange | null) => {
    if (change) for (const listener of listeners) listener(change);
  };
  const echoChannel = `headwater_echo_${nodeId}`;
  let client: pg.Client | null = null;
  let connecting: Promise<void> | null = null;
  let hasEcho = false;

  const disconnect = () => {
    const old = client;
    client = null;
    hasEcho = false;
    void old?.end().catch(() => undefined);
  };
  const connect = async () => {
    const connected = new pg.Client(toClientConfig(url));
    // an echo on a connection that was replaced proves nothing about its successor
    const isCurrent = () => connected === client;
    client = connected;
    connected.on("error", () => {
      if (!isCurrent()) return;
      disconnect();
      // the server may come back in an earlier state before the next check
      notify({ kind: "everything" });
    });
    connected.on("notification", ({ channel, payload = "" }) => {
      if (channel !== echoChannel) notify(parseChange(payload, nodeId));
      else if (isCurrent()) hasEcho = true;
    });
    try {
      await connected.connect();
      await connected.query(`listen ${CHANGE_CHANNEL}; listen ${echoChannel}; notify ${echoChannel}`);
      notify({ kind: "everything" });
    } catch {
      if (isCurrent()) disconnect();
      else void connected.end().catch(() => undefined);
    }
  };
  const reconnect = () => {
    connecting = connect().finally(() => {
      connecting = null;
    });
  };
  const check = () => {
    const hadEcho = hasEcho;
    hasEcho = false;
    if (hadEcho) return void client?.query(`notify ${echoChannel}`).catch(disconnect);
    notify({ kind: "everything" });
    if (connecting) return;
    disconnect();
    reconnect();
  };

  reconnect();
  const timer = setInterval(check, SERVER_LIMITS.changePollMs).unref();
  return {
    onChange: (listener) => listeners.push(listener),
    close: async () => {
      clearInterval(timer);
      await connecting;
      await client?.end().catch(() => undefined);
    },
  };
}
