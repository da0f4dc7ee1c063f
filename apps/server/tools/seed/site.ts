/** The site that made-up visitors visit: its pages, where they come from, and what they hold in their hands. */
import { byPopularity, type Chance, weighted } from "./random.ts";

export interface SitePage {
  path: string;
  title: string;
}

const PRODUCTS = ["lamp", "chair", "desk", "shelf", "kettle", "rug", "mirror", "clock", "vase", "stool"];
const COLOURS = ["oak", "black", "white", "green", "blue", "walnut", "brass", "grey"];
const TOPICS = [
  "care",
  "light",
  "wood",
  "small-rooms",
  "colour",
  "storage",
  "gifts",
  "repair",
  "sleep",
  "desks",
];
const GUIDES = ["delivery", "returns", "warranty", "sizes", "assembly", "payment", "contact", "stores"];

const named = (path: string, title: string): SitePage => ({ path, title: `${title} – Example Shop` });
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1).replaceAll("-", " ");

/** In the order of their popularity. */
const PAGES: readonly SitePage[] = [
  named("/", "Home"),
  named("/products", "Products"),
  named("/pricing", "Pricing"),
  named("/sale", "Sale"),
  named("/blog", "Blog"),
  ...PRODUCTS.flatMap((product) =>
    COLOURS.map((colour) => named(`/products/${product}/${colour}`, `${capital(colour)} ${product}`)),
  ),
  ...GUIDES.map((guide) => named(`/help/${guide}`, capital(guide))),
  ...TOPICS.flatMap((topic) =>
    Array.from({ length: 12 }, (_, part) =>
      named(`/blog/${topic}-${part + 1}`, `${capital(topic)}, part ${part + 1}`),
    ),
  ),
];
export const pageByPopularity = byPopularity(PAGES);

/** How a visit came to be: the referrer, and what a campaign has put into the address. */
export interface Arrival {
  referrer: string | null;
  query: string;
}

const from = (referrer: string | null, query = ""): Arrival => ({ referrer, query });
const campaign = (source: string, medium: string, name: string) =>
  `utm_source=${source}&utm_medium=${medium}&utm_campaign=${name}`;

export const arrivalByWeight = weighted<Arrival>([
  [42, from(null)],
  [24, from("https://www.google.com/")],
  [4, from("https://www.bing.com/")],
  [3, from("https://duckduckgo.com/")],
  [3, from("https://chatgpt.com/")],
  [2, from("https://www.reddit.com/")],
  [2, from("https://news.ycombinator.com/")],
  [2, from("https://www.linkedin.com/")],
  [2, from("https://t.co/")],
  [1, from("https://github.com/")],
  [1, from("https://blog.example.org/best-lamps")],
  [5, from("https://www.google.com/", `${campaign("google", "cpc", "autumn-sale")}&gclid=Cj0KCQjw`)],
  [
    3,
    from("https://www.facebook.com/", `${campaign("facebook", "paid-social", "autumn-sale")}&fbclid=IwAR0`),
  ],
  [4, from(null, campaign("newsletter", "email", "november"))],
  [1, from(null, campaign("newsletter", "email", "welcome"))],
  [1, from("https://partner.example.net/", campaign("partner", "referral", "spring"))],
]);

/** What a visitor's browser says of itself. */
export interface Machine {
  userAgent: string;
  isBot: boolean;
}

const machine = (userAgent: string): Machine => ({ userAgent, isBot: false });
const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";
const windows = (version: number) =>
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/${version}.0.0.0 Safari/537.36`;
const android = (version: number) =>
  `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/${version}.0.0.0 Mobile Safari/537.36`;
const iphone = (version: number) =>
  `Mozilla/5.0 (iPhone; CPU iPhone OS ${version}_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${version}.0 Mobile/15E148 Safari/604.1`;
const MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)";

const machineByWeight = weighted<Machine>([
  [16, machine(windows(142))],
  [7, machine(windows(141))],
  [5, machine(`${windows(142)} Edg/142.0.0.0`)],
  [9, machine(`${MAC} ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`)],
  [6, machine(`${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15`)],
  [4, machine("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0")],
  [2, machine("Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0")],
  [20, machine(iphone(18))],
  [5, machine(iphone(17))],
  [18, machine(android(142))],
  [5, machine(android(140))],
  [
    3,
    machine(
      "Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
    ),
  ],
]);
const botByWeight = weighted<Machine>(
  [
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
  ].map((userAgent, index) => [4 - index, { userAgent, isBot: true }] as const),
);
const BOTS = 0.04;
export const machineOf = (chance: Chance): Machine =>
  chance() < BOTS ? botByWeight(chance) : machineByWeight(chance);

export interface Place {
  country: string;
  locale: string;
  timezone: string;
}
const place = (country: string, locale: string, timezone: string): Place => ({ country, locale, timezone });

export const placeByWeight = weighted<Place>([
  [24, place("US", "en-US", "America/New_York")],
  [10, place("US", "en-US", "America/Los_Angeles")],
  [16, place("DE", "de-DE", "Europe/Berlin")],
  [12, place("GB", "en-GB", "Europe/London")],
  [8, place("FR", "fr-FR", "Europe/Paris")],
  [6, place("NL", "nl-NL", "Europe/Amsterdam")],
  [5, place("ES", "es-ES", "Europe/Madrid")],
  [5, place("IN", "en-IN", "Asia/Kolkata")],
  [4, place("BR", "pt-BR", "America/Sao_Paulo")],
  [3, place("JP", "ja-JP", "Asia/Tokyo")],
  [3, place("CA", "en-CA", "America/Toronto")],
  [2, place("AU", "en-AU", "Australia/Sydney")],
  [2, place("PL", "pl-PL", "Europe/Warsaw")],
]);
