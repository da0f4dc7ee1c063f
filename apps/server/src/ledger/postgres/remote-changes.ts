/**
 * Changes that other nodes make, received by LISTEN. To prove that notifications arrive, this node sends one to itself
 * every half second. While none arrives, listeners get `everything` every half second: caches then cannot be trusted.
 */
import pg from "pg";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { LedgerChange } from "../ledger.ts";
import { toClientConfig } from "./connections.ts";
import { CHANGE_CHANNEL } from "./nodes-ddl.ts";

interface RemoteChanges {
  onChange(listener: (change: LedgerChange) => void): void;
  close(): Promise<void>;
}

/** @returns null for a session notice of this node; `everything` for a payload of a newer version */
function parseChange(payload: string, nodeId: string): LedgerChange | null {
  const [kind, first, sourceId, sessionId] = payload.split(" ");
  if (kind === "tokens") return { kind };
  if (kind === "source" && first) return { kind, sourceId: first };
  if (kind === "session" && sourceId && sessionId)
    return first === nodeId ? null : { kind, sourceId, sessionId };
  return { kind: "everything" };
}

export const toSessionPayload = (nodeId: string, sourceId: string, sessionId: string) =>
  `session ${nodeId} ${sourceId} ${sessionId}`;

/** This node's connection for LISTEN. It is replaced when it fails, and when an echo does not come back in time. */
interface EchoConnection {
  readonly client: pg.Client;
  /** Whether a notification of this node to itself has come back since the last one was sent. */
  hasEcho: boolean;
}

const ignoreFailure = () => undefined;

/** A connection that is not open yet. */
function createConnection(
  url: string,
  echoChannel: string,
  onPayload: (payload: string) => void,
): EchoConnection {
  const client = new pg.Client(toClientConfig(url));
  const connection: EchoConnection = { client, hasEcho: false };
  client.on("notification", ({ channel, payload = "" }) => {
    if (channel === echoChannel) connection.hasEcho = true;
    else onPayload(payload);
  });
  return connection;
}

/** @param nodeId part of the name of a channel: letters, digits and _ */
export function listenForRemoteChanges(url: string, nodeId: string): RemoteChanges {
  const listeners: ((change: LedgerChange) => void)[] = [];
  const notify = (change: LedgerChange | null) => {
    if (change) for (const listener of listeners) listener(change);
  };
  const echoChannel = `headwater_echo_${nodeId}`;
  let current: EchoConnection | null = null;
  let connecting: Promise<void> | null = null;

  const disconnect = () => {
    const old = current;
    current = null;
    void old?.client.end().catch(ignoreFailure);
  };
  const handleError = (connection: EchoConnection) => {
    if (connection !== current) return;
    disconnect();
    // the server may come back in an earlier state before the next check
    notify({ kind: "everything" });
  };
  const connect = async () => {
    const connection = createConnection(url, echoChannel, (payload) => notify(parseChange(payload, nodeId)));
    const { client } = connection;
    current = connection;
    client.on("error", () => handleError(connection));
    try {
      await client.connect();
      await client.query(`listen ${CHANGE_CHANNEL}; listen ${echoChannel}; notify ${echoChannel}`);
      notify({ kind: "everything" });
    } catch {
      if (connection === current) disconnect();
      else void client.end().catch(ignoreFailure);
    }
  };
  const reconnect = () => {
    disconnect();
    connecting = connect().finally(() => {
      connecting = null;
    });
  };
  const check = () => {
    if (current?.hasEcho) {
      current.hasEcho = false;
      return void current.client.query(`notify ${echoChannel}`).catch(disconnect);
    }
    notify({ kind: "everything" });
    if (!connecting) reconnect();
  };

  reconnect();
  const timer = setInterval(check, SERVER_LIMITS.changePollMs).unref();
  return {
    onChange: (listener) => listeners.push(listener),
    close: async () => {
      clearInterval(timer);
      await connecting;
      await current?.client.end().catch(ignoreFailure);
    },
  };
}
