/**
 * The channels of visits: the default channel group of Google Analytics 4, and `AI`. No schema library is imported here: the
 * console uses this file.
 */

/** Each channel with its description, in the order in which reports list them. */
const CHANNEL_DESCRIPTIONS = {
  Direct: "no referrer and no campaign",
  "Organic Search": "unpaid links of search engines",
  "Paid Search": "ads of search engines",
  "Organic Social": "unpaid links of social networks",
  "Paid Social": "ads of social networks",
  "Organic Video": "unpaid links of video platforms",
  "Paid Video": "ads of video platforms",
  "Organic Shopping": "unpaid links of shopping sites",
  "Paid Shopping": "ads of shopping sites",
  "Cross-network": "campaigns over several networks of one provider",
  Display: "banner ads on other sites",
  "Paid Other": "paid links of other sites",
  AI: "links of AI assistants, such as ChatGPT",
  Email: "links in emails and of webmail services",
  Affiliates: "links of affiliates",
  Referral: "links of other sites",
  Audio: "ads in podcasts and other audio",
  SMS: "links in text messages",
  "Mobile Push Notifications": "links in push notifications",
  Unassigned: "a campaign that fits no other channel",
} as const;

export type Channel = keyof typeof CHANNEL_DESCRIPTIONS;
/** The fields that a source's own rule can compare its pattern with. */
export const CHANNEL_RULE_FIELDS = ["referrer", "source", "medium", "campaign"] as const;
/** `Object.keys` of a table whose keys are known. TypeScript cannot know that it has no others. */
export const CHANNELS = Object.keys(CHANNEL_DESCRIPTIONS) as Channel[];

interface ChannelRuleParts {
  field: (typeof CHANNEL_RULE_FIELDS)[number];
  pattern: string;
  source: string | null;
  channel: Channel | null;
}

/** A rule as one line of text: `referrer=*.partner.example -> Partner | Affiliates`. A hyphen stands for null. */
export const formatChannelRule = ({ field, pattern, source, channel }: ChannelRuleParts): string =>
  `${field}=${pattern} -> ${source ?? "-"} | ${channel ?? "-"}`;

/** Reads what `formatChannelRule` writes. null: the text is not a rule. */
export function parseChannelRule(text: string): ChannelRuleParts | null {
  const [, name, pattern, source, kind] =
    /^\s*(\w+)\s*=\s*(.+?)\s+->\s+(.+?)\s+\|\s+(.+?)\s*$/.exec(text) ?? [];
  const field = CHANNEL_RULE_FIELDS.find((one) => one === name);
  const channel = CHANNELS.find((one) => one === kind);
  if (!field || !pattern || !source || (!channel && kind !== "-")) return null;
  return { field, pattern, source: source === "-" ? null : source, channel: channel ?? null };
}
