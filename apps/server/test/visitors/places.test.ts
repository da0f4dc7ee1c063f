/** The country, region and city of a visitor (docs/api/stored-events.md), from files in the layouts of each publisher. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openPlaces } from "../../src/ingest/places.ts";
import { storedEvent } from "../ledger/reader.ts";
import { eventsBody, eventsPath, openWorld, outcomesOf, trackEvent, type World } from "../support/world.ts";
import { type MmdbValue, writeMmdb } from "./mmdb.ts";

const BERLIN = "91.64.0.0/16";
const LONDON = "2a00:23c0::/26";
const NOWHERE = "8.8.8.0/24";
const names = (en: string) => ({ names: { de: `${en} (de)`, en } });
const country = (iso_code: string) => ({ geoname_id: 1, iso_code, ...names(iso_code) });

/** Three networks in each layout: with a region and a city, with two subdivisions, and with a country alone. */
const LAYOUTS: Readonly<Record<string, Readonly<Record<string, MmdbValue>>>> = {
  "GeoLite2-City": {
    [BERLIN]: {
      city: { geoname_id: 2950159, ...names("Berlin") },
      continent: { code: "EU", ...names("Europe") },
      country: country("DE"),
      registered_country: country("NL"),
      subdivisions: [{ geoname_id: 2950157, iso_code: "BE", ...names("State of Berlin") }],
    },
    [LONDON]: {
      city: names("London"),
      country: country("GB"),
      subdivisions: [
        { iso_code: "ENG", ...names("England") },
        { iso_code: "LND", ...names("Greater London") },
      ],
    },
    [NOWHERE]: { country: country("US") },
  },
  "DBIP-City-Lite": {
    [BERLIN]: { city: names("Berlin"), country: country("DE"), subdivisions: [names("State of Berlin")] },
    [LONDON]: { city: names("London"), country: country("GB"), subdivisions: [names("England")] },
    [NOWHERE]: { country: country("US") },
  },
  "city (ip-location-db)": {
    [BERLIN]: { city: "Berlin", country_code: "DE", state1: "State of Berlin", state2: "" },
    [LONDON]: { city: "London", country_code: "GB", state1: "England", state2: "Greater London" },
    [NOWHERE]: { city: "", country_code: "US", state1: "", state2: "" },
  },
};

/** The place of the stored event of a visitor with that address. */
async function placeOf(world: World, address: string, headers: Record<string, string> = {}) {
  const source = await world.createSource();
  const event = trackEvent();
  const body = eventsBody(await world.openSession(source), [event]);
  const reply = await world.send(eventsPath(source), body, { "x-forwarded-for": address, ...headers });
  assert.deepEqual(outcomesOf(reply), ["accepted"]);
  const { country, region, city } = storedEvent(world.dataDir, event.id);
  return [country, region, city];
}

for (const [layout, networks] of Object.entries(LAYOUTS))
  describe(`An address file in the layout of ${layout}`, () => {
    const folder = mkdtempSync(join(tmpdir(), "headwater-test-"));
    let world: World;
    before(async () => {
      const file = join(folder, "places.mmdb");
      writeFileSync(file, writeMmdb(layout, networks));
      world = await openWorld({ GEOIP_FILE: file, GEO_HEADER: "X-Country", TRUST_PROXY: "1" });
    });
    after(async () => {
      await world[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    });

    it("names the country's code, and region and city in English", async () => {
      assert.deepEqual(await placeOf(world, "91.64.200.1"), ["DE", "State of Berlin", "Berlin"]);
      assert.deepEqual(await placeOf(world, "2a00:23c1::1"), ["GB", "England", "London"]);
    });

    it("what the file does not know is null", async () => {
      assert.deepEqual(await placeOf(world, "8.8.8.8"), ["US", null, null]);
      assert.deepEqual(await placeOf(world, "9.9.9.9"), [null, null, null]);
      assert.deepEqual(await placeOf(world, "10.0.0.1"), [null, null, null]);
    });

    it("a country that the proxy names wins; region and city are kept only if they are in it", async () => {
      assert.deepEqual(await placeOf(world, "91.64.200.1", { "x-country": "DE" }), [
        "DE",
        "State of Berlin",
        "Berlin",
      ]);
      assert.deepEqual(await placeOf(world, "91.64.200.1", { "x-country": "AT" }), ["AT", null, null]);
      assert.deepEqual(await placeOf(world, "9.9.9.9", { "x-country": "AT" }), ["AT", null, null]);
    });
  });

describe("An address file with a record that cannot be decoded", () => {
  const folder = mkdtempSync(join(tmpdir(), "headwater-test-"));
  after(() => rmSync(folder, { recursive: true }));

  it("is a warning in the log, once, and the other records are still found", async () => {
    const path = join(folder, "places.mmdb");
    const content = writeMmdb("GeoLite2-Country", {
      [BERLIN]: { country: country("DE") },
      [NOWHERE]: { country: country("US") },
      "9.9.9.0/24": { country: { iso_code: 7 } },
    });
    // an extended type that does not exist, in place of a text of two bytes
    content.fill(0, content.indexOf("\x42US", 0, "latin1"), content.indexOf("US"));
    writeFileSync(path, content);
    const warnings: string[] = [];
    const placeOf = openPlaces(
      { path, mayHaveCities: true },
      { unreadable: () => assert.fail(), badRecord: (error) => warnings.push(String(error)) },
    );
    const countryOf = (address: string) => placeOf(address, null).country;
    const addresses = ["91.64.0.1", "8.8.8.8", "8.8.8.9", "91.64.0.2", "9.9.9.9"];
    assert.deepEqual(addresses.map(countryOf), ["DE", null, null, "DE", null]);
    assert.equal(warnings.length, 1);
  });
});
