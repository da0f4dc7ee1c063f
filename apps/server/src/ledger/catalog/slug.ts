/** Makes the slug of a source that is created without one (docs/api/sources.md). Pure. */
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

/** The base itself if it is free, else the base with the first free number: `shop`, `shop-2`, `shop-3`. */
export function freeSlug(base: string, taken: ReadonlySet<string>): string {
  let candidate = base;
  for (let number = 2; taken.has(candidate); number += 1) {
    const suffix = `-${number}`;
    candidate = cut(base, LIMITS.maxSlugLength - suffix.length) + suffix;
  }
  return candidate;
}
