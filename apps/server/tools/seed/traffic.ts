/**
 * Made-up traffic that looks like a shop's: visits by the hour of the day and the day of the week, visitors who come again,
 * pages of which few are popular, campaigns, bots, and events that are tracked. Nothing is kept in memory however much
 * there is: a visitor follows from a number. Pure: the same plan gives the same events, ids and times included.
 */
import type { Event } from "@headwater/contract";
import { HOUR_MS } from "../../src/core/time.ts";
import { type Chance, chanceOf, mixed, timedId, uuid, waiting, weighted, wholeBelow } from "./random.ts";
import {
  arrivalByWeight,
  type Machine,
  machineOf,
  type Place,
  pageByPopularity,
  placeByWeight,
} from "./site.ts";

export interface TrafficPlan {
  seed: number;
  /** So many, exactly. */
  events: number;
  /** They lie between `until` and so many days before it. */
  days: number;
  until: number;
  /** The origin of the pages. */
  site: string;
}

export interface Visitor extends Machine, Place {
  anonymousId: string;
  userId: string | null;
}

export interface Visit {
  sessionId: string;
  visitor: Visitor;
  /** In the order in which they happened. */
  events: { at: number; event: Event }[];
}

const [VISITOR, VISIT] = [1, 2];
/** UTC; the audience is between California and Berlin, and most of it awake in the afternoon. */
const BY_HOUR = [4, 3, 3, 2, 2, 3, 4, 6, 9, 10, 10, 10, 10, 11, 12, 12, 12, 11, 11, 11, 10, 9, 7, 5];
/** From Sunday. */
const BY_DAY = [0.7, 1.1, 1.15, 1.15, 1.1, 1, 0.75];
const weightOf = (hour: number) => {
  const day = Math.floor(hour / 24);
  // the epoch was a Thursday
  return BY_HOUR[hour % 24]! * BY_DAY[(day + 4) % 7]!;
};

const RETURNING = 0.4;
/** Whoever comes again is mostly one of the last visitors. */
const REMEMBERED = 2_000;
const SIGNED_IN = 0.15;
const BOUNCE = 0.45;
const MORE_PAGES = 0.68;
const MOST_PAGES = 30;
const READING_MS = 40_000;
/** Under the half hour that ends a session. */
const LONGEST_READING_MS = 20 * 60_000;

const two = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, "0"));
let hourWritten = Number.NaN;
let hourText = "";
/** As `Date` writes it, which costs as much as all else of an event. */
function isoTime(at: number): string {
  const hour = Math.floor(at / HOUR_MS);
  if (hour !== hourWritten)
    [hourWritten, hourText] = [hour, new Date(hour * HOUR_MS).toISOString().slice(0, 14)];
  const ms = at - hour * HOUR_MS;
  const seconds = Math.floor(ms / 1_000);
  const rest = String(ms % 1_000).padStart(3, "0");
  return `${hourText}${two[Math.floor(seconds / 60)]}:${two[seconds % 60]}.${rest}Z`;
}

function visitorOf(seed: number, number: number): Visitor {
  const chance = chanceOf(seed, VISITOR, number);
  const anonymousId = uuid(chance);
  const machine = machineOf(chance);
  const isSignedIn = !machine.isBot && chance() < SIGNED_IN;
  return {
    anonymousId,
    userId: isSignedIn ? `user-${number}` : null,
    ...machine,
    ...placeByWeight(chance),
  };
}

type Properties = (chance: Chance) => Record<string, unknown>;
const price = (chance: Chance) => (wholeBelow(chance, 400) + 5) / 2;
const product = (chance: Chance) => `sku-${wholeBelow(chance, 80) + 1}`;
const WORDS = ["lamp", "desk", "oak chair", "small rug", "gift", "kettle"];

/** What happens beside page views, and how often for a page view. */
const trackedByWeight = weighted<readonly [string, Properties] | null>([
  [78, null],
  [
    6,
    [
      "search",
      (chance) => ({ query: WORDS[wholeBelow(chance, WORDS.length)], results: wholeBelow(chance, 40) }),
    ],
  ],
  [
    5,
    [
      "add_to_cart",
      (chance) => ({ product: product(chance), price: price(chance), quantity: 1 + wholeBelow(chance, 3) }),
    ],
  ],
  [4, ["scroll", (chance) => ({ percent: 25 * (1 + wholeBelow(chance, 4)) })]],
  [
    3,
    [
      "video_play",
      (chance) => ({ video: `video-${wholeBelow(chance, 6) + 1}`, seconds: wholeBelow(chance, 180) }),
    ],
  ],
  [2, ["signup", (chance) => ({ plan: chance() < 0.8 ? "free" : "pro" })]],
  [1, ["checkout", (chance) => ({ items: 1 + wholeBelow(chance, 4) })]],
  [
    1,
    [
      "purchase",
      (chance) => ({
        revenue: price(chance) * 3,
        currency: chance() < 0.6 ? "USD" : "EUR",
        order: `order-${wholeBelow(chance, 1e6)}`,
      }),
    ],
  ],
]);

function pagesOf(chance: Chance, isBot: boolean): number {
  if (chance() < BOUNCE || isBot) return 1;
  let pages = 2;
  while (pages < MOST_PAGES && chance() < MORE_PAGES) pages += 1;
  return pages;
}

function visitOf(plan: TrafficPlan, visitor: Visitor, hour: number, chance: Chance): Visit {
  const { site } = plan;
  let at = Math.min(hour * HOUR_MS + wholeBelow(chance, HOUR_MS), plan.until - 1);
  const sessionId = timedId("ses", at, chance);
  const { referrer, query } = arrivalByWeight(chance);
  const events: Visit["events"] = [];
  let before = referrer;
  const add = (event: Omit<Event, "id" | "timestamp">) =>
    void events.push({ at, event: { id: uuid(chance), timestamp: isoTime(at), ...event } });
  const pages = pagesOf(chance, visitor.isBot);
  for (let index = 0; index < pages && at < plan.until; index++) {
    const { path, title } = pageByPopularity(chance);
    const url = site + path + (index === 0 && query !== "" ? `?${query}` : "");
    const page = { url, path, title, referrer: before };
    add({ type: "page", page });
    const tracked = visitor.isBot ? null : trackedByWeight(chance);
    at += 1_000 + Math.floor(Math.min(waiting(chance, READING_MS), LONGEST_READING_MS));
    if (tracked && at < plan.until) {
      const [name, properties] = tracked;
      add({ type: "track", name, page, properties: properties(chance) });
      at += 1_000;
    }
    before = url;
  }
  return { sessionId, visitor, events };
}

/** Another plan makes other events, with ids of their own: they may lie beside each other. */
const ownSeed = ({ seed, events, days, until }: TrafficPlan): number =>
  [seed, events, days, until / HOUR_MS, until % HOUR_MS].reduce(mixed, 0);

/** Visits by the hour in which they begin. */
export function* visitsOf(plan: TrafficPlan): Generator<Visit> {
  const { events, days, until } = plan;
  const seed = ownSeed(plan);
  const last = Math.ceil(until / HOUR_MS);
  const first = last - days * 24;
  let whole = 0;
  for (let hour = first; hour < last; hour++) whole += weightOf(hour);

  let [visits, visitors, made, passed] = [0, 0, 0, 0];
  for (let hour = first; hour < last; hour++) {
    passed += weightOf(hour);
    const wanted = hour === last - 1 ? events : Math.round((events * passed) / whole);
    while (made < wanted) {
      const chance = chanceOf(seed, VISIT, visits);
      const isReturning = visitors > 0 && chance() < RETURNING;
      const back = Math.min(1 + Math.floor(waiting(chance, REMEMBERED)), visitors);
      const who = isReturning ? visitors - back : visitors++;
      const visit = visitOf(plan, visitorOf(seed, who), hour, chance);
      visits += 1;
      visit.events.splice(events - made);
      made += visit.events.length;
      yield visit;
    }
  }
}
