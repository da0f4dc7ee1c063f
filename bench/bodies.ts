/**
 * The traffic of both load generators: templates of complete HTTP requests. Only the ids and `sentAt` change each time a
 * template is sent. All templates with the same number of events get responses of the same length, so that the bare
 * server can respond with as many bytes.
 */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";

/** A visitor with an open session in a source. */
export interface OpenVisit {
  publicKey: string;
  sessionId: string;
  anonymousId: string;
}

/** Placeholders in a template: a new id (36 characters), the time of sending (24 characters), a line break of the head. */
export const ID_MARK = "\x01";
export const SENT_AT_MARK = "\x02";
const BREAK_MARK = "\x03";
export const ID_LENGTH = 36;
export const SENT_AT_LENGTH = 24;

export const ORIGIN = "https://shop.example";

const AGENTS = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15",
  "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
];
const LOCALES = ["en-US", "de-DE", "fr-FR", "nl-NL", "pt-BR", "en-GB"];
const ZONES = ["America/New_York", "Europe/Berlin", "Europe/Paris", "Europe/Amsterdam", "America/Sao_Paulo"];
const PATHS = [
  "collections/winter-jackets/arctic-parka",
  "collections/boots/ridge-mid-gtx",
  "journal/layering-guide",
];
/** One of the six titles is not ASCII, as in real traffic. */
const TITLES = [
  "Arctic Parka | Winter jackets | Northwind Outfitters",
  "Ridge Mid GTX | Boots | Northwind Outfitters",
  "How to layer for the cold | Journal | Northwind",
  "Übergangsjacken für Herbst und Frühling | Northwind",
  "Your basket (3 items) | Northwind Outfitters",
  "Delivery and returns | Help | Northwind Outfitters",
];
/** Eight characters each, so that results of track events are as long as those of page events (`page` and `page_view`). */
const NAMES = ["purchase", "checkout", "wishlist", "add_cart", "download", "sign_ups"];

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length]!;
const timeOf = (start: number, index: number) => new Date(start - 60_000 + index * 137).toISOString();

function pageEvent(index: number, start: number) {
  const path = `/${pick(PATHS, index)}`;
  return {
    id: "@ID@",
    type: "page",
    timestamp: timeOf(start, index),
    page: {
      url: `${ORIGIN}${path}?color=navy&size=m&utm_source=newsletter&utm_medium=email&utm_campaign=autumn-sale-${index % 40}`,
      path,
      title: pick(TITLES, index),
      referrer:
        index % 2 === 0
          ? "https://www.google.com/"
          : `${ORIGIN}/collections/winter-jackets?page=${index % 9}`,
    },
    properties: {
      template: "product",
      currency: "EUR",
      price: 149.95 + (index % 50),
      inStock: index % 5 > 0,
      list: "autumn-favourites",
    },
    context: {
      viewport: { width: 1440, height: 900 },
      scrollDepth: index % 100,
      loadMs: 300 + (index % 900),
      connection: "4g",
      theme: "light",
    },
  };
}

function trackEvent(index: number, start: number) {
  return {
    id: "@ID@",
    type: "track",
    name: pick(NAMES, index),
    timestamp: timeOf(start, index),
    page: {
      url: `${ORIGIN}/${pick(PATHS, index)}?variant=${1000 + (index % 900)}`,
      title: pick(TITLES, index),
    },
    properties: {
      productId: `sku-${100_000 + (index % 9_000)}`,
      productName: "Arctic Parka, navy, size M",
      category: "Winter jackets",
      price: 149.95,
      quantity: 1 + (index % 3),
      currency: "EUR",
      coupon: index % 4 === 0 ? "AUTUMN10" : null,
      experiment: { name: "basket-layout", variant: index % 2 === 0 ? "compact" : "control" },
      tags: ["outdoor", "winter", "sale"],
      listName: "autumn-favourites",
      listPosition: index % 24,
      basketValue: 312.4 + (index % 77),
    },
    context: { viewport: { width: 390, height: 844 }, scrollDepth: index % 100, connection: "4g" },
  };
}

const eventOf = (index: number, start: number) =>
  index % 3 === 2 ? trackEvent(index, start) : pageEvent(index, start);

const contextOf = (index: number) => ({
  locale: pick(LOCALES, index),
  timezone: pick(ZONES, index),
  userAgent: pick(AGENTS, index),
  screen: { width: 1440, height: 900 },
});

/** 500 public addresses, so that the country lookup finds countries. */
const addressOf = (index: number) =>
  `${[81, 93, 203, 8, 151][index % 5]}.${(index * 7) % 250}.${index % 100}.${1 + (index % 250)}`;

const marked = (body: unknown) =>
  JSON.stringify(body).replaceAll("@ID@", ID_MARK).replaceAll("@SENT_AT@", SENT_AT_MARK);

function lengthOf(body: string): number {
  const marks = (mark: string) => body.split(mark).length - 1;
  return (
    Buffer.byteLength(body) + marks(ID_MARK) * (ID_LENGTH - 1) + marks(SENT_AT_MARK) * (SENT_AT_LENGTH - 1)
  );
}

function requestOf(path: string, body: string, index: number): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: stats.example",
    "Connection: keep-alive",
    `Content-Length: ${lengthOf(body)}`,
    `User-Agent: ${pick(AGENTS, index)}`,
    "Content-Type: text/plain;charset=UTF-8",
    "Accept: */*",
    `Origin: ${ORIGIN}`,
    `Referer: ${ORIGIN}/`,
    "Accept-Encoding: gzip, deflate, br, zstd",
    `Accept-Language: ${pick(LOCALES, index)},en;q=0.8`,
    `X-Forwarded-For: ${addressOf(index)}`,
  ];
  return `${head.join(BREAK_MARK)}${BREAK_MARK}${BREAK_MARK}${body}`;
}

function eventsTemplate(visit: OpenVisit, index: number, size: number, start: number): string {
  const events = Array.from({ length: size }, (_, offset) => eventOf(index * size + offset, start));
  const body = marked({
    ingestVersion: 2,
    sdkVersion: "headwater-js/0.1.0",
    batchId: "@ID@",
    sentAt: "@SENT_AT@",
    sessionId: visit.sessionId,
    anonymousId: visit.anonymousId,
    ...(index % 3 === 0 ? { userId: `customer-${index}` } : {}),
    context: contextOf(index),
    events,
  });
  return requestOf(`/api/ingest/v2/${visit.publicKey}/events`, body, index);
}

/** Each request is from a new visitor, so each opens a session. */
function bootstrapTemplate(publicKey: string, index: number): string {
  const { page } = pageEvent(index, 0);
  const body = marked({
    ingestVersion: 2,
    sdkVersion: "headwater-js/0.1.0",
    anonymousId: "@ID@",
    sessionId: null,
    page,
    context: contextOf(index),
  });
  return requestOf(`/api/ingest/v2/${publicKey}/bootstrap`, body, index);
}

export type Traffic = "bootstraps" | "mix" | 1 | 10 | 50;

/** One template per visit. In the mix each visit has a bootstrap and then three batches of ten events. */
export function buildTemplates(traffic: Traffic, visits: readonly OpenVisit[], start = Date.now()): string[] {
  return visits.flatMap((visit, index) => {
    if (traffic === "bootstraps") return [bootstrapTemplate(visit.publicKey, index)];
    if (traffic !== "mix") return [eventsTemplate(visit, index, traffic, start)];
    const batches = [0, 1, 2].map((turn) => eventsTemplate(visit, index * 3 + turn, 10, start));
    return [bootstrapTemplate(visit.publicKey, index), ...batches];
  });
}

/** The template as it is sent, with its placeholders for ids and times. */
export const toRequestText = (template: string) => template.replaceAll(BREAK_MARK, "\r\n");

/** Writes one template per line, as both generators read them. */
export function writeTemplates(file: string, templates: readonly string[]): void {
  writeFileSync(file, `${templates.join("\n")}\n`);
}

/** The first 24 characters of a UUID. A generator appends a counter of 12 characters, so no id is sent twice. */
export function idPrefix(): string {
  const hex = randomBytes(11).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(12, 15)}-8${hex.slice(15, 18)}-`;
}
