/**
 * Assigns a visit to a channel. The rules are those of the default channel group of Google Analytics 4, in the same order
 * (https://support.google.com/analytics/answer/9756891). Two things are added: the channel `AI`, and visits without UTM
 * fields, whose channel follows from the referrer and the click id. Pure.
 */
import type { ClickId } from "@headwater/contract/campaign-parameters";
import type { Channel } from "@headwater/contract/channels";

/** The kind of a source. null: a site that is known by name only. */
export type SourceKind = "search" | "social" | "video" | "shopping" | "ai" | "email" | "display" | null;

export interface KnownSource {
  readonly name: string;
  readonly kind: SourceKind;
}

/** The meaning of a click id: the source, and whether the click is paid. */
interface ClickMeaning {
  readonly source: KnownSource;
  /** Referrers of these kinds belong to the same network and name the source instead, such as Instagram with `fbclid`. */
  readonly covers: readonly SourceKind[];
  /** Whether the network adds it to ads only. */
  readonly isPaid: boolean;
  /** The channel that the click id alone decides. null: the source decides. */
  readonly channel: Channel | null;
}

const meaning = (name: string, kind: SourceKind, isPaid: boolean, overrides: Partial<ClickMeaning> = {}) => ({
  source: { name, kind },
  covers: [kind],
  isPaid,
  channel: null,
  ...overrides,
});
const GOOGLE_AD = meaning("Google", "search", true, { covers: ["search", "video"] });

export const CLICK_MEANINGS: Readonly<Record<ClickId, ClickMeaning>> = {
  gclid: GOOGLE_AD,
  gbraid: GOOGLE_AD,
  wbraid: GOOGLE_AD,
  gad_source: GOOGLE_AD,
  gad_campaignid: GOOGLE_AD,
  dclid: meaning("Google", "display", true, { channel: "Display" }),
  srsltid: meaning("Google", "shopping", false, { covers: [], channel: "Organic Shopping" }),
  fbclid: meaning("Facebook", "social", false),
  msclkid: meaning("Bing", "search", true),
  ttclid: meaning("TikTok", "social", true),
  twclid: meaning("Twitter", "social", true),
  li_fat_id: meaning("LinkedIn", "social", true),
  rdt_cid: meaning("Reddit", "social", true),
  epik: meaning("Pinterest", "social", false),
  sccid: meaning("Snapchat", "social", true),
  yclid: meaning("Yandex", "search", true),
  mc_cid: meaning("Mailchimp", "email", false, { covers: [] }),
  irclickid: meaning("Impact", null, false, { covers: [], channel: "Affiliates" }),
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

/** The channel of a visit that no ad paid for. null: no rule matches. */
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
