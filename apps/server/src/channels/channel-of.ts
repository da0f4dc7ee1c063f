/**
 * The rules of the default channel group of Google Analytics 4 (https://support.google.com/analytics/answer/9756891), in their
 * order, with the channel `AI`, and with what a referrer and a click id say when a link has no UTM fields. Pure.
 */
import type { ClickId } from "@headwater/contract/campaign-parameters";
import type { Channel } from "@headwater/contract/channels";

/** What a source is. null: a site that is known by name only. */
export type SourceKind = "search" | "social" | "video" | "shopping" | "ai" | "email" | "display" | null;

export interface KnownSource {
  readonly name: string;
  readonly kind: SourceKind;
}

/** What a click id says about the click. */
interface ClickMeaning {
  readonly source: KnownSource;
  /** Kinds of referrers that the network also covers, such as Instagram for `fbclid`. They name the source more exactly. */
  readonly covers: readonly SourceKind[];
  /** Whether the network adds it to ads only. */
  readonly isPaid: boolean;
  /** The channel, whatever the source is. */
  readonly channel: Channel | null;
}

const click = (name: string, kind: SourceKind, isPaid: boolean, more: Partial<ClickMeaning> = {}) => ({
  source: { name, kind },
  covers: [kind],
  isPaid,
  channel: null,
  ...more,
});
const GOOGLE_AD = click("Google", "search", true, { covers: ["search", "video"] });

export const CLICK_MEANINGS: Readonly<Record<ClickId, ClickMeaning>> = {
  gclid: GOOGLE_AD,
  gbraid: GOOGLE_AD,
  wbraid: GOOGLE_AD,
  gad_source: GOOGLE_AD,
  gad_campaignid: GOOGLE_AD,
  dclid: click("Google", "display", true, { channel: "Display" }),
  srsltid: click("Google", "shopping", false, { covers: [], channel: "Organic Shopping" }),
  fbclid: click("Facebook", "social", false),
  msclkid: click("Bing", "search", true),
  ttclid: click("TikTok", "social", true),
  twclid: click("Twitter", "social", true),
  li_fat_id: click("LinkedIn", "social", true),
  rdt_cid: click("Reddit", "social", true),
  epik: click("Pinterest", "social", false),
  sccid: click("Snapchat", "social", true),
  yclid: click("Yandex", "search", true),
  mc_cid: click("Mailchimp", "email", false, { covers: [] }),
  irclickid: click("Impact", null, false, { covers: [], channel: "Affiliates" }),
};

interface ChannelFacts {
  readonly source: string | null;
  readonly kind: SourceKind;
  /** In lower case. null: not set. */
  readonly medium: string | null;
  /** In lower case. */
  readonly campaign: string;
  readonly click: ClickMeaning | null;
}

const PAID_MEDIUM = /cp|^(?:ppc|retargeting)$|^paid/;
const SHOPPING_CAMPAIGN = /(?:[^a-df-z]|^)shop|shopping/;
const DISPLAY_MEDIUM = /^(?:display|banner|expandable|interstitial|cpm)$/;
const SOCIAL_MEDIUM = /^(?:social|social-network|social-media|sm|social network|social media)$/;
const EMAIL = /^(?:e[-_ ]?mail|newsletter)$/;
const PUSH_MEDIUM = /push$|mobile|notification/;

const PAID_CHANNELS: Partial<Record<string, Channel>> = {
  search: "Paid Search",
  social: "Paid Social",
  video: "Paid Video",
};

function paidChannel({ kind, medium, click }: ChannelFacts, isShopping: boolean): Channel {
  if (isShopping) return "Paid Shopping";
  const channel = PAID_CHANNELS[kind ?? ""];
  if (channel && click?.channel !== "Display") return channel;
  const isDisplay = kind === "display" || click?.channel === "Display" || DISPLAY_MEDIUM.test(medium ?? "");
  return isDisplay ? "Display" : "Paid Other";
}

/** The channel of what is not paid, or not by its medium. null: no rule fits. */
function unpaidChannel(facts: ChannelFacts, isShopping: boolean): Channel | null {
  const { kind, click } = facts;
  const [name, medium] = [facts.source?.toLowerCase() ?? "", facts.medium ?? ""];
  if (kind === "display" || DISPLAY_MEDIUM.test(medium)) return "Display";
  if (kind === "ai") return "AI";
  if (isShopping) return "Organic Shopping";
  if (click?.channel && medium === "") return click.channel;
  if (kind === "social" || SOCIAL_MEDIUM.test(medium)) return "Organic Social";
  if (kind === "video" || medium.includes("video")) return "Organic Video";
  if (kind === "search" || medium === "organic") return "Organic Search";
  if (kind === "email" || EMAIL.test(name) || EMAIL.test(medium)) return "Email";
  if (/^affiliates?$/.test(medium)) return "Affiliates";
  if (/^(?:referral|app|link)$/.test(medium)) return "Referral";
  if (medium === "audio") return "Audio";
  if (name === "sms" || medium === "sms") return "SMS";
  return PUSH_MEDIUM.test(medium) || name === "firebase" ? "Mobile Push Notifications" : null;
}

/** The channel of a visit. Google Analytics calls a source without a medium `Unassigned`; here it is a referral. */
export function channelOf(facts: ChannelFacts): Channel {
  const { source, kind, campaign, click } = facts;
  const medium = facts.medium ?? "";
  if (campaign.includes("cross-network")) return "Cross-network";
  if (source === null && medium === "") return "Direct";
  const isShopping = kind === "shopping" || SHOPPING_CAMPAIGN.test(campaign);
  const isPaidClick = click?.isPaid === true && !DISPLAY_MEDIUM.test(medium);
  if (isPaidClick || PAID_MEDIUM.test(medium)) return paidChannel(facts, isShopping);
  return unpaidChannel(facts, isShopping) ?? (medium === "" ? "Referral" : "Unassigned");
}
