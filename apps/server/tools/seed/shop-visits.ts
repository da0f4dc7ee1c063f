/**
 * Makes generated visits those of a shop that measures everything: purchases in order, reading times, web vitals, and a few
 * events that violate the plan. Pure: the same visits give the same events.
 */
import type { Event } from "@headwater/contract";
import { combine, createRandom, exponential, integerBelow, type RandomSource, uuid } from "./random.ts";
import type { GeneratedVisit } from "./traffic.ts";

const SHOPPING = 3;
/** Events of the generator that come in no order; here each is a step of a purchase. */
const STEPS = new Set(["add_to_cart", "checkout", "purchase"]);
const CART_SHARE = 0.22;
const CHECKOUT_SHARE = 0.6;
const PURCHASE_SHARE = 0.65;
const VIOLATION_SHARE = 0.08;
const SKIPPED_SHARE = 0.15;
const SECOND_MS = 1_000;

type TimedEvent = GeneratedVisit["events"][number];
type NewEvent = Omit<Event, "id" | "timestamp">;

interface ShopVisit {
  readonly visit: GeneratedVisit;
  readonly random: RandomSource;
  readonly site: string;
}

const toTimed = (at: number, event: NewEvent, random: RandomSource): TimedEvent => ({
  at,
  event: { id: uuid(random), timestamp: new Date(at).toISOString(), ...event },
});

/** Milliseconds of a page load, most of them fast and a few slow. */
function measureLoad(random: RandomSource, isPhone: boolean): Record<string, number> {
  const factor = isPhone ? 1.5 : 1;
  const around = (ms: number) => Math.round((ms * 0.6 + exponential(random, ms * 0.4)) * factor);
  const [ttfb, paint] = [around(220), around(700)];
  return {
    ttfb,
    fcp: ttfb + paint,
    lcp: ttfb + paint + around(600),
    inp: around(90),
    cls: Math.round(exponential(random, 0.05) * 1_000) / 1_000,
  };
}

/** What the client's optional parts send when a view ends: how long it was read, and how fast the first one was. */
function measure({ visit, random }: ShopVisit, views: readonly TimedEvent[]): TimedEvent[] {
  const isPhone = visit.visitor.userAgent.includes("Mobile");
  return views.flatMap(({ at, event: { page } }, index) => {
    if (!page || random() < SKIPPED_SHARE) return [];
    const next = views[index + 1];
    const readMs = Math.max(SECOND_MS, next ? next.at - at - SECOND_MS : exponential(random, 30 * SECOND_MS));
    const end = at + Math.round(readMs);
    const passive = { type: "track", passive: true, page } as const;
    const seconds = Math.round(readMs / 100) / 10;
    const properties = { seconds, scrollDepth: 25 + integerBelow(random, 76) };
    const events = [toTimed(end, { ...passive, name: "engagement", properties }, random)];
    if (index === 0)
      events.push(
        toTimed(end, { ...passive, name: "web_vitals", properties: measureLoad(random, isPhone) }, random),
      );
    return events;
  });
}

/** Cart, checkout and purchase of a visit, as far as it gets. */
function shop({ visit, random, site }: ShopVisit): TimedEvent[] {
  const last = visit.events.at(-1);
  if (!last || random() >= CART_SHARE) return [];
  let at = last.at;
  const events: TimedEvent[] = [];
  const add = (event: NewEvent) => {
    at += 8 * SECOND_MS + Math.round(exponential(random, 25 * SECOND_MS));
    events.push(toTimed(at, event, random));
  };
  const pageOf = (path: string, title: string) => ({ url: site + path, path, title, referrer: null });
  const price = (integerBelow(random, 380) + 20) / 2;
  const quantity = 1 + integerBelow(random, 3);
  const [cart, checkout, thanks] = [
    pageOf("/cart", "Cart – Example Shop"),
    pageOf("/checkout", "Checkout – Example Shop"),
    pageOf("/thanks", "Thank you – Example Shop"),
  ] as const;
  const product = `sku-${integerBelow(random, 80) + 1}`;
  // a string in place of the number violates the plan
  const violates = random() < VIOLATION_SHARE;
  const properties = { product, price: violates ? `$${price}` : price, quantity };
  add({ type: "track", name: "add_to_cart", page: last.event.page ?? null, properties });
  add({ type: "page", page: cart });
  if (random() >= CHECKOUT_SHARE) return events;
  add({ type: "page", page: checkout });
  add({ type: "track", name: "checkout", page: checkout, properties: { items: quantity } });
  if (random() >= PURCHASE_SHARE) return events;
  add({ type: "page", page: thanks });
  const order = `order-${integerBelow(random, 1e6)}`;
  const revenue = { amount: Math.round(price * quantity * 100) / 100, currency: "EUR" };
  add({ type: "track", name: "purchase", page: thanks, properties: { revenue, order } });
  return events;
}

/** @param number of the visit: it selects the random numbers */
export function toShopVisit(visit: GeneratedVisit, number: number, site: string): GeneratedVisit {
  if (visit.visitor.isBot) return visit;
  const random = createRandom(combine(number, visit.events.length), SHOPPING, number);
  const browsed = visit.events.filter(({ event: { name } }) => !name || !STEPS.has(name));
  const events = browsed.length > 0 ? browsed : visit.events;
  const shopVisit = { visit: { ...visit, events }, random, site };
  const all = [...events, ...shop(shopVisit)];
  const views = all.filter(({ event }) => event.type === "page");
  return {
    ...visit,
    events: [...all, ...measure(shopVisit, views)].sort((one, other) => one.at - other.at),
  };
}
