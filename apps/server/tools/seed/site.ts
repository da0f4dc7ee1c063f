/** The generated site: its pages, the traffic sources, and the devices and countries of its visitors. */
import { byPopularity, type RandomSource, weighted } from "./random.ts";

interface SitePage {
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

const toPage = (path: string, title: string): SitePage => ({ path, title: `${title} – Example Shop` });
const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1).replaceAll("-", " ");

/** The most popular page first. */
const PAGES: readonly SitePage[] = [
  toPage("/", "Home"),
  toPage("/products", "Products"),
  toPage("/pricing", "Pricing"),
  toPage("/sale", "Sale"),
  toPage("/blog", "Blog"),
  ...PRODUCTS.flatMap((product) =>
    COLOURS.map((colour) => toPage(`/products/${product}/${colour}`, `${capitalize(colour)} ${product}`)),
  ),
  ...GUIDES.map((guide) => toPage(`/help/${guide}`, capitalize(guide))),
  ...TOPICS.flatMap((topic) =>
    Array.from({ length: 12 }, (_, part) =>
      toPage(`/blog/${topic}-${part + 1}`, `${capitalize(topic)}, part ${part + 1}`),
    ),
  ),
];
export const pickPage = byPopularity(PAGES);

/** Where a visit comes from. */
interface TrafficSource {
  referrer: string | null;
  /** The query string that a campaign adds to the landing page; empty: none. */
  query: string;
}

const from = (referrer: string | null, query = ""): TrafficSource => ({ referrer, query });
const campaign = (source: string, medium: string, name: string) =>
  `utm_source=${source}&utm_medium=${medium}&utm_campaign=${name}`;

export const pickTrafficSource = weighted<TrafficSource>([
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

export interface BrowserProfile {
  userAgent: string;
  isBot: boolean;
}

const browser = (userAgent: string): BrowserProfile => ({ userAgent, isBot: false });
const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";
const windows = (version: number) =>
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/${version}.0.0.0 Safari/537.36`;
const android = (version: number) =>
  `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/${version}.0.0.0 Mobile Safari/537.36`;
const iphone = (version: number) =>
  `Mozilla/5.0 (iPhone; CPU iPhone OS ${version}_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${version}.0 Mobile/15E148 Safari/604.1`;
const MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)";

const pickBrowser = weighted<BrowserProfile>([
  [16, browser(windows(142))],
  [7, browser(windows(141))],
  [5, browser(`${windows(142)} Edg/142.0.0.0`)],
  [9, browser(`${MAC} ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`)],
  [6, browser(`${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15`)],
  [4, browser("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0")],
  [2, browser("Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0")],
  [20, browser(iphone(18))],
  [5, browser(iphone(17))],
  [18, browser(android(142))],
  [5, browser(android(140))],
  [
    3,
    browser(
      "Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
    ),
  ],
]);
const pickBot = weighted<BrowserProfile>(
  [
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
  ].map((userAgent, index) => [4 - index, { userAgent, isBot: true }] as const),
);
const BOT_SHARE = 0.04;
export const pickProfile = (random: RandomSource): BrowserProfile =>
  random() < BOT_SHARE ? pickBot(random) : pickBrowser(random);

export interface VisitorLocation {
  country: string;
  region: string;
  city: string;
  locale: string;
  timezone: string;
}
const location = (country: string, place: string, locale: string, timezone: string): VisitorLocation => {
  const [region = "", city = ""] = place.split("/");
  return { country, region, city, locale, timezone };
};

export const pickLocation = weighted<VisitorLocation>([
  [24, location("US", "New York/New York", "en-US", "America/New_York")],
  [10, location("US", "California/Los Angeles", "en-US", "America/Los_Angeles")],
  [16, location("DE", "State of Berlin/Berlin", "de-DE", "Europe/Berlin")],
  [12, location("GB", "England/London", "en-GB", "Europe/London")],
  [8, location("FR", "Île-de-France/Paris", "fr-FR", "Europe/Paris")],
  [6, location("NL", "North Holland/Amsterdam", "nl-NL", "Europe/Amsterdam")],
  [5, location("ES", "Madrid/Madrid", "es-ES", "Europe/Madrid")],
  [5, location("IN", "Maharashtra/Mumbai", "en-IN", "Asia/Kolkata")],
  [4, location("BR", "São Paulo/São Paulo", "pt-BR", "America/Sao_Paulo")],
  [3, location("JP", "Tokyo/Tokyo", "ja-JP", "Asia/Tokyo")],
  [3, location("CA", "Ontario/Toronto", "en-CA", "America/Toronto")],
  [2, location("AU", "New South Wales/Sydney", "en-AU", "Australia/Sydney")],
  [2, location("PL", "Mazovia/Warsaw", "pl-PL", "Europe/Warsaw")],
]);
