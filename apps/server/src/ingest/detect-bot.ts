/** Recognizes crawlers, monitors, headless browsers and HTTP libraries by their user agent. Pure. */
import { isbot } from "isbot";

/** The comment about an Android device. Its model can be a word that crawlers have too: "Google TV", "GM Discovery", "CUBOT". */
const ANDROID_COMMENT = /^(Mozilla\/5\.0 )\(Linux;(?![^)]*(?:compatible|http|-Google))[^)]*Android[^)]*\)/;

/** Words of people's apps and televisions that crawlers have too. */
const APP_WORDS =
  /\bProcess\/tools\w*|\bAli(?:App|payDefined|payClient)\S*|\bcom\.google\.[\w.]+|\bSogou(?:MSE|MobileBrowser|Search)|\bOMI\/\S+|\bGoogle ?TV\b/gi;

/** Programs that `isbot` does not know. No browser has `compatible` after `like Gecko`. */
const OTHER_BOTS =
  /like Gecko; compatible;|\w-User\b|\bAmzn-|amazon-(?:kendra|QBusiness)|AmazonBuyForMe|anthropic|openai|chatgpt|claude-|cohere-ai|perplexity|Gemini-Deep|NotebookLM|\bDevin\b|NovaAct|opencode|img2dataset|Cotoyogi|Awario|omgili|\bScrapy|Lightpanda|facebookexternalhit|meta-(?:external|web)|kagi-fetcher|webzio|Panscient|GTmetrix|Assetnote|Miniature\.io|\bYLT\b|TSM-turingos|yunjiankong|Reaver|\bHLB\/|geckotrail/i;

/** Libraries that apps of people send with: on Android, on iOS, of Flutter and Unity, and those of Segment. */
const APP_LIBRARY =
  /\bUnityPlayer\/\d|\bokhttp\/\d|\bCFNetwork\/\d|\bDart\/[\d.]+ \(dart:io\)|^analytics-(?:kotlin|android|ios|flutter)\/\d/;
const CRAWLER_WORD = /bot|crawl|spider|archiver|preview|monitor|scan/i;

/** Whether the user agent belongs to a program and not to a person's browser. */
export function detectBot(userAgent: string): boolean {
  if (OTHER_BOTS.test(userAgent)) return true;
  if (APP_LIBRARY.test(userAgent) && !CRAWLER_WORD.test(userAgent)) return false;
  return isbot(userAgent.replace(ANDROID_COMMENT, "$1").replaceAll(APP_WORDS, ""));
}
