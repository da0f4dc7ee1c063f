/** The source and the channel of a visit. */
import type { ChannelRule } from "@headwater/contract";
import type { ClickId } from "@headwater/contract/campaign-parameters";
import type { Channel } from "@headwater/contract/channels";
import { pathMatcher } from "@headwater/contract/path-pattern";
import type { Campaign } from "./campaign.ts";
import { CLICK_MEANINGS, channelOf, type KnownSource } from "./channel-of.ts";
import { siteOf } from "./public-suffixes.ts";
import type { SourceLists } from "./source-lists.ts";

/** The first of a source's own rules that matches; null: none. */
type ChannelRules = (values: Readonly<Record<ChannelRule["field"], string>>) => ChannelRule | null;

/** Callers keep the result until the rules change. */
export function compileChannelRules(rules: readonly ChannelRule[]): ChannelRules {
  const compiled = rules.map((rule) => ({ rule, matches: pathMatcher([rule.pattern.toLowerCase()]) }));
  return (values) =>
    compiled.find(
      ({ rule, matches }) => values[rule.field] !== "" && matches(values[rule.field].toLowerCase()),
    )?.rule ?? null;
}

export interface VisitOrigin {
  readonly referrer: string | null;
  /** The host of the page. */
  readonly pageHost: string | null;
  readonly campaign: Campaign;
}

interface ChannelSettings {
  readonly lists: SourceLists;
  /** The sites of the source's allowed origins (`sitesOfOrigins`). */
  readonly ownSites: ReadonlySet<string>;
  /** The source's own rules (`compileChannelRules`). They win over the lists. */
  readonly rules: ChannelRules;
}

export interface VisitSource {
  /** A name such as `Google`, else the referrer's host without `www.`, or what the link names. null: direct. */
  readonly source: string | null;
  readonly channel: Channel;
}

const MAX_SOURCE_LENGTH = 253;

interface ForeignReferrer {
  /** The name of an app, such as com.facebook.lite, stands for its host. */
  readonly host: string;
  readonly path: string;
  readonly isApp: boolean;
}

/** The referrer, unless it is a page of the site itself. */
function foreignReferrer(
  { referrer, pageHost }: VisitOrigin,
  ownSites: ReadonlySet<string>,
): ForeignReferrer | null {
  const url = referrer ? URL.parse(referrer) : null;
  const host = url?.hostname
    .toLowerCase()
    .replace(/^www\./, "")
    .replace(/\.$/, "");
  if (!url || !host || host.length > MAX_SOURCE_LENGTH) return null;
  return isOwn(host, pageHost, ownSites)
    ? null
    : { host, path: url.pathname, isApp: url.protocol === "android-app:" };
}

/** The name of an app is a host from its end: com.facebook.lite is lite.facebook.com. */
const findReferrer = ({ host, path, isApp }: ForeignReferrer, lists: SourceLists): KnownSource | null =>
  lists.find(host, path) ?? (isApp ? lists.find(host.split(".").toReversed().join("."), "/") : null);

/** Whether a host is one of the site itself. @param host in lower case, without `www.` */
export function isOwn(host: string, pageHost: string | null, ownSites: ReadonlySet<string>): boolean {
  if (host === pageHost) return true;
  const site = siteOf(host);
  return ownSites.has(site) || (pageHost !== null && site === siteOf(pageHost));
}

/** Values that Google Analytics writes when one is missing. Links repeat them. */
const NOT_SET = /^\((?:direct|none|not set|not provided)\)$/i;

/** The text, trimmed. null: it says nothing. */
function meaningful(text: string | null | undefined): string | null {
  const trimmed = text?.trim() ?? "";
  return trimmed === "" || NOT_SET.test(trimmed) ? null : trimmed;
}

/** The source that the link names, unless that is the site itself. */
function taggedSource(origin: VisitOrigin, { lists, ownSites }: ChannelSettings): KnownSource | null {
  const { utm, ref } = origin.campaign;
  const text = (meaningful(utm?.source) ?? meaningful(ref))?.slice(0, MAX_SOURCE_LENGTH).toWellFormed();
  if (text === undefined || /^direct$/i.test(text)) return null;
  const host = text.toLowerCase().replace(/^(?:https?:\/\/)?(?:www\.)?([^/?#]*).*$/s, "$1");
  if (host.includes(".") && isOwn(host, origin.pageHost, ownSites)) return null;
  return lists.named(host) ?? { name: text, kind: null };
}

const clickIdOf = ({ clickIds }: Campaign) => {
  const name = Object.keys(clickIds ?? {}).find((one): one is ClickId => one in CLICK_MEANINGS);
  return name ? CLICK_MEANINGS[name] : null;
};

/** The source and channel of a visit. Pure, but for the caches of the lists. */
export function classifyVisit(origin: VisitOrigin, settings: ChannelSettings): VisitSource {
  const { campaign } = origin;
  const referrer = foreignReferrer(origin, settings.ownSites);
  const fromReferrer = referrer && findReferrer(referrer, settings.lists);
  const click = clickIdOf(campaign);
  const fromClick =
    click && (fromReferrer && click.covers.includes(fromReferrer.kind) ? fromReferrer : click.source);
  const tagged = taggedSource(origin, settings);
  const source =
    tagged ?? fromClick ?? fromReferrer ?? (referrer ? { name: referrer.host, kind: null } : null);

  const medium = meaningful(campaign.utm?.medium)?.toLowerCase() ?? null;
  const name = campaign.utm?.campaign ?? "";
  const kind = source?.kind ?? (click?.isPaid ? click.source.kind : null);
  const facts = { source: source?.name ?? null, kind, medium, campaign: name.toLowerCase(), click };
  const ruled = settings.rules({
    referrer: referrer?.host ?? "",
    source: facts.source ?? "",
    medium: medium ?? "",
    campaign: name,
  });
  return {
    source: ruled?.source ?? facts.source,
    channel: ruled?.channel ?? channelOf(facts),
  };
}
