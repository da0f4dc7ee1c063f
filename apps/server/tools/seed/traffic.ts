/**
 * Generates traffic like a shop's: visits by hour and weekday, returning visitors, a few popular pages, campaigns, bots
 * and custom events. Pure: the same plan gives the same events, ids and times included. Visitors are computed from
 * their number, so memory does not grow with the number of events.
 */
import type { Event } from "@headwater/contract";
import { HOUR_MS } from "../../src/core/time.ts";
import {
  combine,
  createRandom,
  exponential,
  integerBelow,
  type RandomSource,
  timedId,
  uuid,
  weighted,
} from "./random.ts";
import {
  type BrowserProfile,
  pickLocation,
  pickPage,
  pickProfile,
  pickTrafficSource,
  type VisitorLocation,
} from "./site.ts";

export interface TrafficPlan {
  seed: number;
  /** The exact number of events. */
  events: number;
  /** The events are spread over this many days before `until`. */
  days: number;
  /** In milliseconds since the epoch. */
  until: number;
  /** The origin of the pages. */
  site: string;
}

interface SeedVisitor extends BrowserProfile, VisitorLocation {
  anonymousId: string;
  userId: string | null;
}

export interface GeneratedVisit {
  sessionId: string;
  visitor: SeedVisitor;
  /** The time of the first event. */
  startedAt: number;
  /** At least one, in the order in which they happened. */
  events: { at: number; event: Event }[];
}

/** Kinds of random sequences. */
const [VISITOR, VISIT] = [1, 2];
/** Weights by hour in UTC: the visitors are between California and Berlin, and most are awake in the afternoon. */
const HOUR_WEIGHTS = [4, 3, 3, 2, 2, 3, 4, 6, 9, 10, 10, 10, 10, 11, 12, 12, 12, 11, 11, 11, 10, 9, 7, 5];
/** Sunday first. */
const WEEKDAY_WEIGHTS = [0.7, 1.1, 1.15, 1.15, 1.1, 1, 0.75];

/** @param hour hours since the epoch, which was a Thursday */
function weightOfHour(hour: number): number {
  const weekday = (Math.floor(hour / 24) + 4) % 7;
  return (HOUR_WEIGHTS[hour % 24] ?? 0) * (WEEKDAY_WEIGHTS[weekday] ?? 0);
}

const RETURNING_SHARE = 0.4;
/** A returning visitor is mostly one of this many latest visitors. */
const RECENT_VISITORS = 2_000;
const SIGNED_IN_SHARE = 0.15;
const BOUNCE_SHARE = 0.45;
/** Probability of one more page. */
const NEXT_PAGE_SHARE = 0.68;
const MAX_PAGES = 30;
const MEAN_READING_MS = 40_000;
/** Less than the 30 minutes after which a session ends. */
const MAX_READING_MS = 20 * 60_000;

const TWO_DIGITS = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, "0"));
let cachedHour = Number.NaN;
let cachedHourText = "";
/** Like `toIsoTime`, which would take as long as the rest of an event: date and hour are formatted once an hour. */
function formatTime(at: number): string {
  const hour = Math.floor(at / HOUR_MS);
  if (hour !== cachedHour)
    [cachedHour, cachedHourText] = [hour, new Date(hour * HOUR_MS).toISOString().slice(0, 14)];
  const ms = at - hour * HOUR_MS;
  const seconds = Math.floor(ms / 1_000);
  const fraction = String(ms % 1_000).padStart(3, "0");
  return `${cachedHourText}${TWO_DIGITS[Math.floor(seconds / 60)]}:${TWO_DIGITS[seconds % 60]}.${fraction}Z`;
}

function generateVisitor(seed: number, number: number): SeedVisitor {
  const random = createRandom(seed, VISITOR, number);
  const anonymousId = uuid(random);
  const profile = pickProfile(random);
  const isSignedIn = !profile.isBot && random() < SIGNED_IN_SHARE;
  return { anonymousId, userId: isSignedIn ? `user-${number}` : null, ...profile, ...pickLocation(random) };
}

type GenerateProperties = (random: RandomSource) => Record<string, unknown>;
const randomPrice = (random: RandomSource) => (integerBelow(random, 400) + 5) / 2;
const SEARCH_TERMS = ["lamp", "desk", "oak chair", "small rug", "gift", "kettle"];

const search: GenerateProperties = (random) => ({
  query: SEARCH_TERMS[integerBelow(random, SEARCH_TERMS.length)],
  results: integerBelow(random, 40),
});
const addToCart: GenerateProperties = (random) => ({
  product: `sku-${integerBelow(random, 80) + 1}`,
  price: randomPrice(random),
  quantity: 1 + integerBelow(random, 3),
});
const playVideo: GenerateProperties = (random) => ({
  video: `video-${integerBelow(random, 6) + 1}`,
  seconds: integerBelow(random, 180),
});
const purchase: GenerateProperties = (random) => ({
  revenue: { amount: randomPrice(random) * 3, currency: random() < 0.6 ? "USD" : "EUR" },
  order: `order-${integerBelow(random, 1e6)}`,
});

/** The custom event that follows a page view, with its weight in percent; null: none. */
const pickTrackedEvent = weighted<readonly [name: string, properties: GenerateProperties] | null>([
  [78, null],
  [6, ["search", search]],
  [5, ["add_to_cart", addToCart]],
  [4, ["scroll", (random) => ({ percent: 25 * (1 + integerBelow(random, 4)) })]],
  [3, ["video_play", playVideo]],
  [2, ["signup", (random) => ({ plan: random() < 0.8 ? "free" : "pro" })]],
  [1, ["checkout", (random) => ({ items: 1 + integerBelow(random, 4) })]],
  [1, ["purchase", purchase]],
]);

function pickPageCount(random: RandomSource, isBot: boolean): number {
  if (random() < BOUNCE_SHARE || isBot) return 1;
  let pages = 2;
  while (pages < MAX_PAGES && random() < NEXT_PAGE_SHARE) pages += 1;
  return pages;
}

interface VisitStart {
  readonly visitor: SeedVisitor;
  /** Hours since the epoch. */
  readonly hour: number;
  readonly random: RandomSource;
}

function generateVisit({ site, until }: TrafficPlan, { visitor, hour, random }: VisitStart): GeneratedVisit {
  const startedAt = Math.min(hour * HOUR_MS + integerBelow(random, HOUR_MS), until - 1);
  const sessionId = timedId("ses", startedAt, random);
  const source = pickTrafficSource(random);
  const events: GeneratedVisit["events"] = [];
  let at = startedAt;
  let referrer = source.referrer;
  const addEvent = (event: Omit<Event, "id" | "timestamp">) =>
    void events.push({ at, event: { id: uuid(random), timestamp: formatTime(at), ...event } });
  const pages = pickPageCount(random, visitor.isBot);
  for (let index = 0; index < pages && at < until; index++) {
    const { path, title } = pickPage(random);
    const url = site + path + (index === 0 && source.query !== "" ? `?${source.query}` : "");
    const page = { url, path, title, referrer };
    addEvent({ type: "page", page });
    const tracked = visitor.isBot ? null : pickTrackedEvent(random);
    at += 1_000 + Math.floor(Math.min(exponential(random, MEAN_READING_MS), MAX_READING_MS));
    if (tracked && at < until) {
      const [name, generateProperties] = tracked;
      addEvent({ type: "track", name, page, properties: generateProperties(random) });
      at += 1_000;
    }
    referrer = url;
  }
  return { sessionId, visitor, startedAt, events };
}

/** Each plan has a seed of its own, so that the ids of two plans differ. */
const seedOfPlan = ({ seed, events, days, until }: TrafficPlan): number =>
  [seed, events, days, until / HOUR_MS, until % HOUR_MS].reduce(combine, 0);

/** Visits ordered by the hour in which they begin. */
export function* generateVisits(plan: TrafficPlan): Generator<GeneratedVisit> {
  const { events, days, until } = plan;
  const seed = seedOfPlan(plan);
  const endHour = Math.ceil(until / HOUR_MS);
  const firstHour = endHour - days * 24;
  let totalWeight = 0;
  for (let hour = firstHour; hour < endHour; hour++) totalWeight += weightOfHour(hour);

  let [visits, visitors, generated, passedWeight] = [0, 0, 0, 0];
  for (let hour = firstHour; hour < endHour; hour++) {
    passedWeight += weightOfHour(hour);
    const wanted = hour === endHour - 1 ? events : Math.round((events * passedWeight) / totalWeight);
    while (generated < wanted) {
      const random = createRandom(seed, VISIT, visits);
      const isReturning = visitors > 0 && random() < RETURNING_SHARE;
      const back = Math.min(1 + Math.floor(exponential(random, RECENT_VISITORS)), visitors);
      const number = isReturning ? visitors - back : visitors++;
      const visit = generateVisit(plan, { visitor: generateVisitor(seed, number), hour, random });
      visits += 1;
      visit.events.splice(events - generated);
      generated += visit.events.length;
      yield visit;
    }
  }
}
