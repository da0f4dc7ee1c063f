/** Looks up the country, region and city of an address in an MMDB file. */
import { readFileSync } from "node:fs";
import { type CityResponse, Reader } from "mmdb-lib";
import { createLru } from "../core/lru.ts";
import { textOf } from "../core/text.ts";

/** Decoded parts of the address file, such as one for each city: about 1 kB each. */
const PLACE_CACHE_ENTRIES = 5_000;

export interface VisitorPlace {
  /** ISO 3166-1. */
  readonly country: string | null;
  /** The English name of the largest subdivision. */
  readonly region: string | null;
  /** The English name. */
  readonly city: string | null;
}

export const NO_PLACE: VisitorPlace = { country: null, region: null, city: null };

/** @param vouchedCountry the country that a trusted proxy names; null: none */
export type PlaceOf = (address: string, vouchedCountry: string | null) => VisitorPlace;

/** GeoLite2 and DB-IP nest the names in objects; ip-location-db has flat records. */
type PlaceRecord = Omit<Partial<CityResponse>, "city"> & {
  readonly city?: CityResponse["city"] | string;
  readonly country_code?: string;
  readonly state1?: string;
};

/** A file can hold anything. */
function toPlace({ country, country_code, subdivisions, state1, city }: PlaceRecord): VisitorPlace {
  return {
    country: textOf(country_code) ?? textOf(country?.iso_code),
    region: textOf(state1) ?? textOf(subdivisions?.[0]?.names?.en),
    city: textOf(typeof city === "string" ? city : city?.names?.en),
  };
}

/** Region and city belong to the vouched country only if the file has found the same country. */
function withCountry(place: VisitorPlace, vouchedCountry: string | null): VisitorPlace {
  if (vouchedCountry === null || vouchedCountry === place.country) return place;
  return { country: vouchedCountry, region: null, city: null };
}

export interface PlacesFile {
  readonly path: string;
  /** Whether addresses with a vouched country are looked up too, because the file may have regions and cities. */
  readonly mayHaveCities: boolean;
}

/** Each is called once at most. Events are accepted anyway, without a place. */
interface PlaceProblems {
  /** The file cannot be opened. No address has a place. */
  unreadable(error: unknown): void;
  /** A record cannot be decoded. Its addresses have no place. */
  badRecord(error: unknown): void;
}

/**
 * Opens an MMDB file. Private and loopback addresses have no place.
 * @param file null: no address has a place
 */
export function openPlaces(file: PlacesFile | null, problems: PlaceProblems): PlaceOf {
  // opened at the first look-up, so that a node without visitors does not use the memory of the file
  let reader: Reader<PlaceRecord> | undefined;
  let isUsable = file !== null;
  let hasBadRecord = false;
  const open = (path: string): Reader<PlaceRecord> | undefined => {
    try {
      // a record of GeoLite2-City takes 80 µs to decode, and 3 µs with its parts in the cache
      const cache = createLru<string | number, object>(PLACE_CACHE_ENTRIES);
      return new Reader<PlaceRecord>(readFileSync(path), { cache });
    } catch (error) {
      isUsable = false;
      problems.unreadable(error);
      return undefined;
    }
  };
  const find = (path: string, address: string): VisitorPlace => {
    reader ??= open(path);
    try {
      const found = reader?.get(address);
      return found ? toPlace(found) : NO_PLACE;
    } catch (error) {
      if (!hasBadRecord) problems.badRecord(error);
      hasBadRecord = true;
      return NO_PLACE;
    }
  };
  const places = createLru<string, VisitorPlace>(PLACE_CACHE_ENTRIES);
  const findCached = (path: string, address: string): VisitorPlace => {
    const cached = places.get(address);
    if (cached) return cached;
    const place = find(path, address);
    places.set(address, place);
    return place;
  };
  return (address, vouchedCountry) => {
    const isKnown = vouchedCountry !== null && !file?.mayHaveCities;
    const place = file && isUsable && !isKnown ? findCached(file.path, address) : NO_PLACE;
    return withCountry(place, vouchedCountry);
  };
}
