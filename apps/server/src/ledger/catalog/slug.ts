/** A slug for a source that came without one (CONTRACT section 2). Pure. */
import { LIMITS } from "@headwater/contract/limits";

const FALLBACK = "source";

/** `Café — Zürich!` becomes `cafe-zurich`; a name without Latin letters or digits becomes `source`. */
export function slugOf(name: string): string {
  const words = name
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  return cut(words.replace(/^-+/, ""), LIMITS.maxSlugLength) || FALLBACK;
}

const cut = (slug: string, length: number) => slug.slice(0, length).replace(/-+$/, "");

/** The base itself, else with the first free number behind it: `shop`, `shop-2`, `shop-3`. */
export function freeSlug(base: string, taken: ReadonlySet<string>): string {
  let candidate = base;
  for (let number = 2; taken.has(candidate); number += 1) {
    const suffix = `-${number}`;
    candidate = cut(base, LIMITS.maxSlugLength - suffix.length) + suffix;
  }
  return candidate;
}
