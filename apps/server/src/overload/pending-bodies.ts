/**
 * Bounds the request bodies that are on their way: each by its speed, and all together by the memory that they hold. Most
 * bodies arrive with their headers and are never pending.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Refusal } from "../core/refusal.ts";
import { networkKey } from "./client-key.ts";

/**
 * The memory of all request bodies on their way: of 750 connections that send nothing, or of 75 that send large bodies.
 * Node does not return it to the system. Beyond it, bodies of the clients and sources that hold the most are refused.
 */
export const MAX_PENDING_BODY_BYTES = 48 * 1_048_576;
/** Bytes that the connection and the request of a pending body count as. */
export const PENDING_BODY_OVERHEAD_BYTES = 65_536;
/** A body that is pending for this long must have arrived at the lowest speed, which the slowest mobile networks have. */
export const BODY_GRACE_SECONDS = 4;
export const MIN_BODY_BYTES_PER_SECOND = 1_000;

/** The client and the source of a body. Memory is divided fairly between clients and between sources. */
export interface BodyOwner {
  readonly clientKey: string;
  /** null: a request of the workspace API. */
  readonly sourceId: string | null;
}

/** The memory that the pending bodies of a client or a source hold. */
interface MemoryTotal {
  readonly key: string;
  bytes: number;
}

interface PendingBody {
  readonly owner: BodyOwner;
  readonly reject: (refusal: Refusal) => void;
  receivedBytes: number;
  /** null: the body is not counted yet. */
  account: BodyAccounting | null;
}

interface BodyAccounting {
  readonly client: MemoryTotal;
  readonly source: MemoryTotal;
  readonly timer: NodeJS.Timeout;
  ageSeconds: number;
  /** The received bytes, and those that the connection itself takes. */
  bytes: number;
}

/** The bodies of this process by their connections, oldest first. */
const pending = new Map<Socket, PendingBody>();
const totals = new Map<string, MemoryTotal>();
let totalBytes = 0;

function totalOf(key: string): MemoryTotal {
  const known = totals.get(key);
  if (known) return known;
  const total: MemoryTotal = { key, bytes: 0 };
  totals.set(key, total);
  return total;
}

function charge(account: BodyAccounting, bytes: number): void {
  account.bytes += bytes;
  totalBytes += bytes;
  for (const total of [account.client, account.source]) {
    total.bytes += bytes;
    if (total.bytes === 0) totals.delete(total.key);
  }
}

/** Stops reading a pending body and rejects it. Returns false when no body is pending on the connection. */
export function rejectPendingBody(socket: Socket, refusal: Refusal): boolean {
  const body = pending.get(socket);
  endPendingBody(socket);
  body?.reject(refusal);
  return body !== undefined;
}

/** The connection whose client and source hold the most memory, by the product of both. Of equal ones, the oldest. */
function findHeaviest(): Socket | undefined {
  let heaviest: Socket | undefined;
  let most = 0;
  for (const [socket, { account }] of pending) {
    const weight = account ? account.client.bytes * account.source.bytes : 0;
    if (weight <= most) continue;
    most = weight;
    heaviest = socket;
  }
  return heaviest;
}

/**
 * Rejects the heaviest bodies until the rest fits into the limit. In practice they are slow ones, because fast ones are
 * pending only for a moment.
 */
function makeRoom(): void {
  while (totalBytes > MAX_PENDING_BODY_BYTES) {
    const socket = findHeaviest();
    if (!socket) return;
    const message = "The body was still incomplete when the service needed its memory for other requests.";
    rejectPendingBody(socket, new Refusal("request_timeout", { message }));
  }
}

/** Is called every second. */
function requireSpeed(socket: Socket, account: BodyAccounting, receivedBytes: number): void {
  account.ageSeconds += 1;
  const { ageSeconds } = account;
  if (ageSeconds < BODY_GRACE_SECONDS || receivedBytes >= MIN_BODY_BYTES_PER_SECOND * ageSeconds) return;
  const message = `The body arrived at less than ${MIN_BODY_BYTES_PER_SECOND} bytes a second.`;
  rejectPendingBody(socket, new Refusal("request_timeout", { message }));
}

function startAccount(socket: Socket, body: PendingBody): void {
  const { clientKey, sourceId } = body.owner;
  const timer = setInterval(() => requireSpeed(socket, account, body.receivedBytes), 1_000).unref();
  const account: BodyAccounting = {
    client: totalOf(`client ${networkKey(clientKey) ?? clientKey}`),
    source: totalOf(`source ${sourceId}`),
    timer,
    ageSeconds: 0,
    bytes: 0,
  };
  body.account = account;
  charge(account, PENDING_BODY_OVERHEAD_BYTES + body.receivedBytes);
  makeRoom();
}

/**
 * Counts a body until `endPendingBody` is called. If the memory limit is then exceeded, the heaviest bodies are rejected.
 * @param reject ends the reading with a refusal. The body is then no longer pending
 */
export function addPendingBody(
  request: Pick<IncomingMessage, "socket" | "complete">,
  owner: BodyOwner,
  reject: (refusal: Refusal) => void,
): void {
  const { socket } = request;
  const body: PendingBody = { owner, reject, receivedBytes: 0, account: null };
  pending.set(socket, body);
  // by then Node has parsed what arrived together with the headers, which is the whole of most bodies
  queueMicrotask(() => {
    if (!request.complete && pending.get(socket) === body) startAccount(socket, body);
  });
}

/** Counts bytes of a body that have arrived. */
export function growPendingBody(socket: Socket, bytes: number): void {
  const body = pending.get(socket);
  if (!body) return;
  body.receivedBytes += bytes;
  if (!body.account) return;
  charge(body.account, bytes);
  makeRoom();
}

/** No effect when no body is pending on the connection. */
export function endPendingBody(socket: Socket): void {
  const account = pending.get(socket)?.account;
  pending.delete(socket);
  if (!account) return;
  clearInterval(account.timer);
  charge(account, -account.bytes);
}
