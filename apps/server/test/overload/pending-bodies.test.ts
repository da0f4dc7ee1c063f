/** How pending bodies share their memory between clients and sources. */
import assert from "node:assert/strict";
import { Socket } from "node:net";
import { afterEach, describe, it } from "node:test";
import { Refusal } from "../../src/core/refusal.ts";
import {
  addPendingBody,
  type BodyOwner,
  endPendingBody,
  growPendingBody,
  MAX_PENDING_BODY_BYTES,
  PENDING_BODY_OVERHEAD_BYTES,
  rejectPendingBody,
} from "../../src/overload/pending-bodies.ts";

const ROOM = MAX_PENDING_BODY_BYTES / PENDING_BODY_OVERHEAD_BYTES;

class TestBody {
  readonly socket = new Socket();
  refusal: Refusal | null = null;

  constructor(clientKey: string, sourceId: string) {
    const owner: BodyOwner = { clientKey, sourceId };
    opened.push(this);
    addPendingBody({ socket: this.socket, complete: false }, owner, (refusal) => {
      this.refusal = refusal;
    });
  }

  get isPending(): boolean {
    return this.refusal === null;
  }
}
const opened: TestBody[] = [];
/** Bodies are counted in a microtask. */
const counted = () => Promise.resolve();
const pendingOf = (bodies: readonly TestBody[]) => bodies.filter(({ isPending }) => isPending).length;

describe("Pending bodies", () => {
  afterEach(() => {
    for (const { socket } of opened.splice(0)) endPendingBody(socket);
  });

  it("of a few clients fill all the memory; a body of another client takes the place of their oldest", async () => {
    const slow = Array.from(
      { length: ROOM },
      (_, n) => new TestBody(`203.0.113.${n % 10}`, `src_${n % 200}`),
    );
    await counted();
    assert.equal(pendingOf(slow), ROOM);
    const others = Array.from({ length: 50 }, (_, n) => new TestBody(`198.51.100.${n}`, "src_quiet"));
    await counted();
    assert.equal(pendingOf(others), others.length);
    assert.equal(pendingOf(slow), ROOM - others.length);
    const ended = slow.filter(({ isPending }) => !isPending);
    assert.deepEqual([...new Set(ended.map(({ refusal }) => refusal?.code))], ["request_timeout"]);
    assert.ok(pendingOf(slow.slice(-ROOM / 2)) === ROOM / 2, "the newer half is pending");
  });

  it("that go on arriving from a few clients never end those of another client", async () => {
    const quiet = new TestBody("198.51.100.1", "src_quiet");
    for (let n = 0; n < 3 * ROOM; n += 1) new TestBody(`203.0.113.${n % 10}`, "src_quiet");
    await counted();
    assert.ok(quiet.isPending);
  });

  it("to one source from many clients do not end those to another source", async () => {
    const quiet = Array.from({ length: 20 }, (_, n) => new TestBody(`198.51.100.${n}`, "src_quiet"));
    for (let n = 0; n < 2 * ROOM; n += 1) new TestBody(`10.0.${n >> 8}.${n & 255}`, "src_loud");
    await counted();
    assert.equal(pendingOf(quiet), quiet.length);
  });

  it("of an IPv6 /48 count as those of one client", async () => {
    const quiet = Array.from({ length: 20 }, () => new TestBody("198.51.100.1", "src_1"));
    for (let n = 0; n < 2 * ROOM; n += 1) new TestBody(`2001:db8:1:${n.toString(16)}::/64`, "src_1");
    await counted();
    assert.equal(pendingOf(quiet), quiet.length);
  });

  it("count with their bytes, so that large bodies never hold more than the limit together", async () => {
    const large = Array.from({ length: 100 }, (_, n) => {
      const body = new TestBody(`203.0.113.${n}`, "src_1");
      growPendingBody(body.socket, 4 * 1_048_576);
      return body;
    });
    await counted();
    assert.equal(
      pendingOf(large),
      Math.floor(MAX_PENDING_BODY_BYTES / (4 * 1_048_576 + PENDING_BODY_OVERHEAD_BYTES)),
    );
    assert.ok(large.at(-1)?.isPending);
  });

  it("are forgotten when they end: their memory is free, and they are not refused any more", async () => {
    const first = Array.from({ length: ROOM }, () => new TestBody("203.0.113.1", "src_1"));
    await counted();
    for (const { socket } of first) endPendingBody(socket);
    const second = Array.from({ length: ROOM }, () => new TestBody("203.0.113.1", "src_1"));
    await counted();
    assert.equal(pendingOf([...first, ...second]), 2 * ROOM);
    assert.equal(rejectPendingBody(first[0]!.socket, new Refusal("malformed_http")), false);
    assert.equal(rejectPendingBody(second[0]!.socket, new Refusal("malformed_http")), true);
    assert.equal(second[0]!.refusal?.code, "malformed_http");
  });
});
