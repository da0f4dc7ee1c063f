/**
 * Notices sources that make up names of properties, such as `{[productId]: 1}`, which nobody can query. It only leads to a warning, so each
 * node counts on its own, and begins anew at midnight UTC, at a restart, and when all sources together have too many names.
 */
import { LIMITS } from "@headwater/contract";
import { dayOf } from "../core/time.ts";
import { isJsonObject, type JsonObject } from "./json.ts";

/** Property names of all sources that a node remembers, of at most 200 characters each. */
const KNOWN_PROPERTY_NAMES = 100_000;

export class PropertyNames {
  readonly #bySource = new Map<string, Set<string>>();
  #day = 0;
  #count = 0;

  /** Learns the names of an event. @returns whether one is beyond the names that its source can have in a day */
  isBeyond(sourceId: string, properties: JsonObject, now: number): boolean {
    const day = dayOf(now);
    if (day !== this.#day || this.#count >= KNOWN_PROPERTY_NAMES) {
      this.#bySource.clear();
      [this.#day, this.#count] = [day, 0];
    }
    let known = this.#bySource.get(sourceId);
    if (!known) {
      known = new Set();
      this.#bySource.set(sourceId, known);
      this.#count += 1;
    }
    const before = known.size;
    const isBeyond = learn(known, properties, "");
    this.#count += known.size - before;
    return isBeyond;
  }
}

/** A member of another property is named by its path. */
function learn(known: Set<string>, properties: JsonObject, prefix: string): boolean {
  let isBeyond = false;
  for (const key of Object.keys(properties)) {
    const value = properties[key];
    const name = prefix === "" ? key : prefix + key;
    if (isJsonObject(value)) isBeyond = learn(known, value, `${name}.`) || isBeyond;
    // longer names cannot be queried
    else if (!known.has(name) && name.length <= LIMITS.maxStatsPropertyLength) {
      if (known.size >= LIMITS.maxPropertyNamesPerDay) isBeyond = true;
      else known.add(name);
    }
  }
  return isBeyond;
}
