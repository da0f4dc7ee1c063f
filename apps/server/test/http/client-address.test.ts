import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseTrust } from "../../src/config/trust.ts";
import { clientAddress } from "../../src/http/client-address.ts";
import { rateKey } from "../../src/overload/client-key.ts";
import {
  createClientRateLimiter,
  createRateLimiter,
  NETWORK_RATE_FACTOR,
} from "../../src/overload/rate-limit.ts";

describe("the client's address", () => {
  const ip = (socket: string | undefined, forwarded: string | undefined, trust: string) =>
    clientAddress(socket, forwarded, parseTrust(trust)).ip;

  it("is the socket's address when no proxy is trusted", () => {
    assert.equal(ip("203.0.113.9", "198.51.100.1", ""), "203.0.113.9");
    assert.equal(ip("::ffff:203.0.113.9", undefined, ""), "203.0.113.9");
    assert.equal(ip(undefined, undefined, ""), "127.0.0.1");
  });

  it("is an IPv4 address in each form in which IPv6 has it", () => {
    for (const mapped of ["::ffff:8.8.8.8", "::ffff:808:808", "::FFFF:0808:0808", "0:0:0:0:0:ffff:808:808"])
      assert.equal(ip(mapped, undefined, ""), "8.8.8.8", mapped);
    assert.equal(ip("10.0.0.1", "[::ffff:808:808]:443", "1"), "8.8.8.8");
    for (const other of ["2001:db8:ffff:808::", "::ffff:0:808:808", "::808:808"])
      assert.equal(ip(other, undefined, ""), other, other);
  });

  it("with a number of hops: is the entry that the outermost trusted proxy wrote, whatever the client put in front", () => {
    const forged = "1.1.1.1, 198.51.100.1, 10.0.0.2";
    assert.equal(ip("10.0.0.1", forged, "1"), "10.0.0.2");
    assert.equal(ip("10.0.0.1", forged, "2"), "198.51.100.1");
    assert.equal(ip("10.0.0.1", "198.51.100.1", "3"), "198.51.100.1");
  });

  it("with trusted ranges: is the last entry that is not a trusted proxy", () => {
    const forged = "1.1.1.1, 198.51.100.1, 10.0.0.2";
    assert.equal(ip("10.0.0.1", forged, "10.0.0.0/8"), "198.51.100.1");
    assert.equal(ip("10.0.0.1", forged, "10.0.0.1"), "10.0.0.2");
    assert.equal(ip("203.0.113.9", forged, "10.0.0.0/8"), "203.0.113.9");
    assert.equal(ip("fd00::1", "2001:db8::7", "10.0.0.0/8, fd00::/8"), "2001:db8::7");
  });

  it("ignores entries before one that is not an address; ports, brackets and zones are removed", () => {
    assert.equal(ip("10.0.0.1", "unknown", "1"), "10.0.0.1");
    assert.equal(ip("10.0.0.1", "1.1.1.1, <script>", "2"), "10.0.0.1");
    assert.equal(ip("10.0.0.1", "198.51.100.1:5678", "1"), "198.51.100.1");
    assert.equal(ip("10.0.0.1", "[2001:db8::1]:443", "1"), "2001:db8::1");
    assert.equal(ip("fe80::1%eth0", undefined, ""), "fe80::1");
    assert.equal(ip("10.0.0.1", `${"1.1.1.1,".repeat(2_000)}`, "32"), "10.0.0.1");
  });

  it("rate limits count an IPv6 address by its /64", () => {
    assert.equal(rateKey("2001:db8:1:2:3:4:5:6"), rateKey("2001:0db8:1:2::9"));
    assert.notEqual(rateKey("2001:db8:1:2::1"), rateKey("2001:db8:1:3::1"));
    assert.equal(rateKey("::1"), "0:0:0:0::/64");
    assert.equal(rateKey("2001:db8::"), "2001:db8:0:0::/64");
    assert.equal(rateKey("203.0.113.9"), "203.0.113.9");
  });

  it("reports an untrusted proxy: a loopback or private peer that sends X-Forwarded-For", () => {
    const untrusted = (socket: string, trust: string) =>
      clientAddress(socket, "1.1.1.1", parseTrust(trust)).proxyUntrusted;
    for (const peer of ["127.0.0.1", "::1", "192.168.1.1", "::ffff:172.16.0.3", "fd12::1"])
      assert.ok(untrusted(peer, ""));
    assert.ok(untrusted("10.0.0.1", "192.168.0.0/16"));
    assert.ok(!untrusted("203.0.113.9", ""));
    assert.ok(!untrusted("127.0.0.1", "1"));
    assert.ok(!untrusted("127.0.0.1", "loopback".replace("loopback", "127.0.0.0/8")));
    assert.equal(clientAddress("127.0.0.1", undefined, parseTrust("")).proxyUntrusted, false);
  });

  it("TRUST_PROXY is a number of hops or a list of ranges, and nothing else", () => {
    for (const text of ["-1", "33", "10.0.0.0/33", "example.com", "10.0.0.1,", "::/129", "true"]) {
      assert.throws(() => parseTrust(text), /must be/, text);
    }
  });
});

describe("a token bucket", () => {
  it("allows a burst, then as many requests as its rate, whatever the pattern", () => {
    const limiter = createRateLimiter({ perSecond: 10, burst: 5, maxKeys: 10 });
    const passed = Array.from({ length: 20 }, () => limiter.take("a", 0).ok).filter(Boolean).length;
    assert.equal(passed, 5);
    let later = 0;
    for (let now = 1; now <= 10_000; now += 1) later += Number(limiter.take("a", now).ok);
    assert.equal(later, 100);
  });

  it("says when to retry, in whole seconds and at least one", () => {
    const limiter = createRateLimiter({ perSecond: 0.1, burst: 1, maxKeys: 10 });
    assert.deepEqual(limiter.take("a", 0), {
      ok: true,
      remaining: 0,
      retryAfterSeconds: 0,
      resetSeconds: 10,
    });
    assert.deepEqual(limiter.take("a", 1_000), {
      ok: false,
      remaining: 0,
      retryAfterSeconds: 9,
      resetSeconds: 9,
    });
    assert.equal(limiter.take("a", 9_999).retryAfterSeconds, 1);
    assert.ok(limiter.take("a", 10_000).ok);
  });

  it("counts each key apart, bounds the number of keys, and accepts a rate for one key", () => {
    const limiter = createRateLimiter({ perSecond: 1, burst: 1, maxKeys: 2 });
    assert.ok(limiter.take("a", 0).ok && limiter.take("b", 0).ok && !limiter.take("a", 0).ok);
    limiter.take("c", 0);
    assert.ok(limiter.take("b", 0).ok, "b was forgotten for c");
    const own = { perSecond: 1, burst: 3 };
    assert.deepEqual(
      [0, 0, 0, 0].map((now) => limiter.take("d", now, own).ok),
      [true, true, true, false],
    );
  });

  it("is neither emptied nor filled when the clock is set back", () => {
    const limiter = createRateLimiter({ perSecond: 1, burst: 2, maxKeys: 2 });
    limiter.take("a", 10_000);
    assert.ok(limiter.take("a", 0).ok);
    assert.ok(!limiter.take("a", 0).ok);
    assert.ok(limiter.take("a", 1_000).ok);
  });
});

describe("the rate of client addresses", () => {
  const passedOf = (keys: Iterable<string>) => {
    const limiter = createClientRateLimiter({ perSecond: 1, burst: 2, maxKeys: 10_000 });
    return [...keys].filter((key) => limiter.take(key, 0).ok).length;
  };
  const FACTOR = NETWORK_RATE_FACTOR;

  it("an IPv6 /48 has the rate of a few clients, however many of its addresses are used", () => {
    const ofNetwork = Array.from(
      { length: 1_000 },
      (_, n) => `src_1 ${rateKey(`2001:db8:1:${n.toString(16)}::1`)}`,
    );
    assert.equal(passedOf(ofNetwork), 2 * FACTOR);
  });

  it("networks, and sources within a network, are counted apart", () => {
    const perNetwork = (network: string, source: string) =>
      Array.from({ length: 100 }, (_, n) => `${source} ${rateKey(`${network}:${n.toString(16)}::1`)}`);
    const keys = ["2001:db8:1", "2001:db8:2"].flatMap((network) => [
      ...perNetwork(network, "src_1"),
      ...perNetwork(network, "src_2"),
    ]);
    assert.equal(passedOf(keys), 4 * 2 * FACTOR);
  });

  it("one client uses at most its own share of its network, and IPv4 addresses have no network", () => {
    const loud = Array.from({ length: 100 }, () => rateKey("2001:db8:1:1::1"));
    assert.equal(passedOf([...loud, rateKey("2001:db8:1:2::1")]), 3);
    assert.equal(passedOf(Array.from({ length: 250 }, (_, n) => `203.0.113.${n}`)), 250);
  });
});
