/**
 * The query parameters that say which campaign, ad or site a visit comes from. This is the only list of them: ingest reads
 * its fields from it, and `queryParameters: "campaign"` of a source keeps these parameters. Names are in lower case, because
 * ad platforms and people write them in any case.
 */

/** The fields of `page.utm`, each a parameter `utm_<field>` or one of Matomo's. */
export const UTM_FIELDS = ["source", "medium", "campaign", "term", "content"] as const;

/** Ids that ad platforms append to the address of a click: the members of `page.clickIds`. */
export const CLICK_IDS = [
  "gclid", // Google Ads
  "gbraid",
  "wbraid",
  "gad_source",
  "gad_campaignid",
  "dclid", // Google Display & Video 360
  "srsltid", // Google Merchant Center
  "fbclid", // Meta
  "msclkid", // Microsoft
  "ttclid", // TikTok
  "twclid", // X
  "li_fat_id", // LinkedIn
  "rdt_cid", // Reddit
  "epik", // Pinterest
  "sccid", // Snapchat
  "yclid", // Yandex
  "mc_cid", // Mailchimp
  "irclickid", // impact.com
] as const;
export type ClickId = (typeof CLICK_IDS)[number];

/** Parameters that describe a campaign in another way. */
const OTHER_PARAMETERS = [
  "gclsrc", // Google Ads
  "ysclid", // Yandex
  "qclid", // Quora
  "tblci", // Taboola
  "dicbo", // Outbrain
  "ef_id", // Adobe
  "s_kwcid",
  "cjevent", // CJ
  "awc", // Awin
  "ref",
  "referrer",
  "source",
  "medium",
  "campaign",
  "campaignid",
  "campaign_id",
  "adgroupid",
  "via",
];

/** All parameters with these beginnings: UTM, Matomo, Piwik, HubSpot ads. */
const CAMPAIGN_PREFIX = /^(?:utm|mtm|matomo|pk|piwik|hsa)_/;

const CAMPAIGN_NAMES: ReadonlySet<string> = new Set([...CLICK_IDS, ...OTHER_PARAMETERS]);

/** @param name in any case: `UTM_Source`, `ScCid` */
export function isCampaignParameter(name: string): boolean {
  const lower = name.toLowerCase();
  return CAMPAIGN_NAMES.has(lower) || CAMPAIGN_PREFIX.test(lower);
}
