/** Keeps the free-form members of a body within their limits: the rest is left out, with a warning (docs/api/events.md). Pure. */
import { LIMITS, type Warning } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { inspect, isJsonObject, type JsonObject, jsonBytes } from "./json.ts";

export function warnOnce(warnings: Warning[], warning: Warning): void {
  if (!warnings.includes(warning)) warnings.push(warning);
}

function isOversized(value: JsonObject, maxBytes: number, warnings: Warning[]): boolean {
  const { isTooDeep, hasNonFinite, maxBytes: bound } = inspect(value, LIMITS.maxDepth);
  if (hasNonFinite) warnOnce(warnings, "number_not_finite");
  return isTooDeep || (bound > maxBytes && jsonBytes(value) > maxBytes);
}

/** Where an address or a title can be cut without leaving half of a secret, which masking would not find. */
const SEPARATOR = /[?#&;/\s]/;

function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = maxLength;
  while (end > 0 && !SEPARATOR.test(text.charAt(end))) end -= 1;
  return text.slice(0, end || maxLength).toWellFormed();
}

type PageText = "url" | "path" | "referrer" | "title";

/** A page with its known members only, each at most as long as it is stored. */
function cutPage(page: JsonObject, warnings: Warning[]): JsonObject {
  const cut = (name: PageText, maxLength: number, warning: Warning) => {
    const text = page[name];
    if (typeof text !== "string") return text;
    if (text.length > maxLength) warnOnce(warnings, warning);
    return cutText(text, maxLength);
  };
  const { maxUrlLength, maxTitleLength } = LIMITS;
  return {
    url: cut("url", maxUrlLength, "url_truncated"),
    path: cut("path", maxUrlLength, "url_truncated"),
    referrer: cut("referrer", maxUrlLength, "url_truncated"),
    title: cut("title", maxTitleLength, "value_truncated"),
    hashRouting: page.hashRouting,
  };
}

const exceeds = (value: unknown, maxLength: number) => typeof value === "string" && value.length > maxLength;
/** Texts are cut before they are masked, because masking a long text is slow. */
const hasLongText = ({ url, path, referrer, title }: JsonObject) =>
  exceeds(url, LIMITS.maxUrlLength) ||
  exceeds(path, LIMITS.maxUrlLength) ||
  exceeds(referrer, LIMITS.maxUrlLength) ||
  exceeds(title, LIMITS.maxTitleLength);

/** Only the known members of a page are stored, so no other needs a warning. */
export const fitPage = (page: JsonObject, warnings: Warning[]): JsonObject =>
  hasLongText(page) || isOversized(page, LIMITS.maxPageBytes, warnings) ? cutPage(page, warnings) : page;

const MAX_SIZE_LENGTH = 32;

/** A screen or viewport size, which clients send as text or as an object. */
export function sizeText(value: unknown): string | null {
  if (typeof value === "string") return value.slice(0, MAX_SIZE_LENGTH).toWellFormed();
  if (typeof value !== "object" || value === null || !("width" in value) || !("height" in value)) return null;
  const { width, height } = value;
  return Number.isFinite(width) && Number.isFinite(height) ? `${width}x${height}` : null;
}

/** The size of the window in a context. RudderStack's clients send it with the screen. */
export function viewportOf({ viewport, screen }: JsonObject): string | null {
  const { innerWidth: width, innerHeight: height } = isJsonObject(screen) ? screen : {};
  return sizeText(viewport) ?? sizeText({ width, height });
}

const shortText = (value: unknown) =>
  typeof value === "string" ? value.slice(0, SERVER_LIMITS.maxUserAgentLength).toWellFormed() : undefined;

/** The members of a context that the normal form is made from, each cut to its maximum length. */
export function knownMembers({ locale, timezone, userAgent, screen, viewport }: JsonObject): JsonObject {
  return {
    locale: shortText(locale),
    timezone: shortText(timezone),
    userAgent: shortText(userAgent),
    screen: sizeText(screen) ?? undefined,
    viewport: viewportOf({ viewport, screen }) ?? undefined,
  };
}

/**
 * The context of an event: its own members and those of its batch. If both together are too large, only the batch's known
 * members are added, or none.
 */
export function mergeContexts(batch: JsonObject | null, own: JsonObject, warnings: Warning[]): JsonObject {
  if (!batch) return own;
  const fits = (context: JsonObject) => !isOversized(context, LIMITS.maxContextBytes, warnings);
  const merged = { ...batch, ...own };
  if (fits(merged)) return merged;
  warnOnce(warnings, "context_truncated");
  const withKnown = { ...knownMembers(batch), ...own };
  return fits(withKnown) ? withKnown : own;
}

/**
 * A context that is too large or too deep keeps its known members.
 * @param events the number of events that share the context: it is stored with each of them
 */
export function fitContext(context: JsonObject, warnings: Warning[], events = 1): JsonObject {
  const { maxContextBytes, maxSharedContextBytes } = LIMITS;
  const maxBytes = Math.min(maxContextBytes, Math.floor(maxSharedContextBytes / Math.max(events, 1)));
  if (!isOversized(context, maxBytes, warnings)) return context;
  warnOnce(warnings, "context_truncated");
  return knownMembers(context);
}
