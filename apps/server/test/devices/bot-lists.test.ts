/** Bots by their address and their referrer: the files that the operator names, over HTTP. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { parseAddressRanges } from "../../src/core/address-ranges.ts";
import { openVisit } from "../install/visit.ts";
import { storedEvent } from "../ledger/reader.ts";
import { eventsBody, eventsPath, fresh, ORIGIN, outcomesOf, pageEvent } from "../support/world.ts";

const folder = mkdtempSync(join(tmpdir(), "headwater-lists-"));
after(() => rmSync(folder, { recursive: true }));
function file(name: string, lines: string[]): string {
  writeFileSync(join(folder, name), lines.join("\n"));
  return join(folder, name);
}

const { world, source, sessionId } = await openVisit({
  environment: {
    TRUST_PROXY: "1",
    DATA_CENTRES_FILE: file("networks.txt", [
      "# clouds",
      "198.51.100.0/24",
      "",
      "2001:db8:1::/48 # and a comment",
    ]),
    REFERRER_SPAM_FILE: file("spam.txt", ["Spam.example", "b\u00fccher-spam.example"]),
  },
});

async function send(
  target: { publicKey: string },
  session: string,
  { address = "203.0.113.7", referrer }: { address?: string; referrer?: string },
) {
  const event = pageEvent({ id: fresh("e"), page: { url: `${ORIGIN}/`, referrer: referrer ?? null } });
  const headers = { "x-forwarded-for": address };
  const reply = await world.send(eventsPath(target), eventsBody(session, [event]), headers);
  const [outcome] = outcomesOf(reply);
  return { outcome, id: event.id, result: reply.body.results[0] };
}

async function reasonFor(visit: Parameters<typeof send>[2]): Promise<string[]> {
  const { outcome, id, result } = await send(source, sessionId, visit);
  assert.equal(outcome, "accepted");
  assert.equal(storedEvent(world.dataDir, id).device.isBot, result.warnings.length > 0);
  return result.warnings;
}

describe("DATA_CENTRES_FILE", () => {
  it("Events from a listed network are bots', and others are not.", async () => {
    for (const address of ["198.51.100.0", "198.51.100.255", "2001:db8:1:2::3"])
      assert.deepEqual(await reasonFor({ address }), ["data_centre"], address);
    for (const address of ["198.51.99.255", "198.51.101.0", "2001:db8:2::1", "10.0.0.1"])
      assert.deepEqual(await reasonFor({ address }), [], address);
  });

  it("Events of a server are not bots', although servers are in data centres.", async () => {
    const event = pageEvent({ id: fresh("e") });
    const headers = { "x-forwarded-for": "198.51.100.1", "user-agent": "python-requests/2.32.3" };
    const body = { ...eventsBody(sessionId, [event]) };
    const reply = await world.ask(eventsPath(source), {
      method: "POST",
      token: null,
      body,
      headers: { "content-type": "application/json", ...headers },
    });
    assert.deepEqual(reply.body.results[0].warnings, []);
  });
});

describe("REFERRER_SPAM_FILE", () => {
  it("A visit from a listed host or a subdomain of it is a bot's.", async () => {
    for (const host of ["spam.example", "www.SPAM.example", "xn--bcher-spam-9db.example"])
      assert.deepEqual(await reasonFor({ referrer: `https://${host}/x` }), ["referrer_spam"], host);
    for (const host of ["notspam.example", "example", "spam.example.org"])
      assert.deepEqual(await reasonFor({ referrer: `https://${host}/x` }), [], host);
  });

  it("The source's `bots` applies: reject and keep.", async () => {
    const visit = { referrer: "https://spam.example/" };
    const rejecting = await world.createSource({ bots: "reject" });
    const rejected = await send(rejecting, await world.openSession(rejecting), visit);
    assert.equal(rejected.outcome, "rejected bot_rejected");
    assert.match(
      rejected.result.message,
      /^The referrer is spam \(`REFERRER_SPAM_FILE`\), and the source's `bots`/,
    );
    const keeping = await world.createSource({ bots: "keep" });
    const kept = await send(keeping, await world.openSession(keeping), visit);
    assert.deepEqual([kept.outcome, kept.result.warnings], ["accepted", []]);
    assert.equal(storedEvent(world.dataDir, kept.id).device.isBot, false);
  });
});

it("The list of ranges agrees with a search through all of them, for random addresses", () => {
  const random = () => Math.floor(Math.random() * 256);
  const ranges = Array.from({ length: 300 }, () => `${random() % 4}.${random()}.0.0/${8 + (random() % 20)}`);
  const contains = parseAddressRanges([...ranges, "::1", "fe80::/10"]);
  const toNumber = (address: string) => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const isIn = (address: string, range: string) => {
    const [first = "", bits = ""] = range.split("/");
    const size = 2 ** (32 - Number(bits));
    return Math.floor(toNumber(address) / size) === Math.floor(toNumber(first) / size);
  };
  for (let round = 0; round < 2_000; round++) {
    const address = `${random() % 5}.${random()}.${random()}.${random()}`;
    const expected = ranges.some((range) => isIn(address, range));
    assert.equal(contains(address), expected, `${address} in ${ranges}`);
  }
  assert.deepEqual(["::1", "::2", "febf::1", "fec0::1", "x", ""].map(contains), [
    true,
    false,
    true,
    false,
    false,
    false,
  ]);
  for (const wrong of ["x", "1.2.3.4/33", "1.2.3.4/", "::/129", "1.2.3"])
    assert.throws(() => parseAddressRanges([wrong]), /must list addresses and CIDR ranges; ".*" is neither/);
});
