/** The browsers, systems and kinds of devices that are known by name, each with how a user agent shows it. */

export type DeviceType = "desktop" | "mobile" | "tablet" | "tv" | "console" | "wearable" | "car" | "xr";

/**
 * Words of a user agent that name a browser, in lower case. The first row with a word of the user agent counts: an app comes
 * before the browser that it contains, and a browser before the one that it pretends to be. The version is that of the word.
 */
export const WORD_BROWSERS: readonly (readonly [name: string, ...words: string[]])[] = [
  // apps
  ["Threads", "barcelona"],
  ["Instagram", "instagram"],
  ["Messenger", "messengerforios", "messengerliteforios", "orca-android", "messenger"],
  ["Facebook", "fbav", "fban", "fb_iab", "fbios", "metaiab"],
  ["TikTok", "musical_ly", "bytedancewebview", "tiktok", "trill"],
  ["Snapchat", "snapchat"],
  ["LinkedIn", "linkedinapp"],
  ["Pinterest", "pinterest"],
  ["X", "twitterandroid", "twitter"],
  ["Reddit", "reddit"],
  ["WhatsApp", "whatsapp"],
  ["Telegram", "telegram-android", "telegram"],
  ["Viber", "viber"],
  ["Discord", "discord"],
  ["Slack", "slack_ssb", "slack"],
  ["Microsoft Teams", "teamsmobile-android", "teamsmobile-ios", "teams"],
  ["Microsoft Outlook", "outlook-ios", "outlook-android"],
  ["WeChat", "micromessenger", "wechat"],
  ["Alipay", "alipayclient", "aliapp"],
  ["DingTalk", "dingtalk"],
  ["Weibo", "weibo"],
  ["QQ", "qq"],
  ["Baidu", "baiduboxapp", "baidubrowser", "bidubrowser"],
  ["KakaoTalk", "kakaotalk"],
  ["Naver", "naver"],
  ["Daum", "daumapps"],
  ["Line", "line"],
  ["Zalo", "zalo"],
  ["Yahoo Japan", "yjapp-android", "yjapp-ios"],
  ["Google Search", "gsa"],
  ["Microsoft Copilot", "copilot"],
  ["Microsoft Bing", "bingsapphire", "bingweb"],
  // browsers on Chromium, Gecko and WebKit
  ["Yandex Browser", "yabrowser", "yasearchbrowser", "yaapp_android", "yaapp_ios", "yandexsearchbrowser"],
  ["Opera Mini", "mini", "opios"],
  ["Opera GX", "oprgx", "opx"],
  ["Opera", "opr", "opt", "opera"],
  ["Microsoft Edge", "edg", "edga", "edgios", "edge"],
  ["Pico Browser", "picobrowser"],
  ["Wolvic", "wolvic"],
  ["Oculus Browser", "oculusbrowser"],
  ["Samsung Internet", "samsungbrowser"],
  ["DuckDuckGo", "ddg", "duckduckgo"],
  ["Brave", "brave"],
  ["Vivaldi", "vivaldi"],
  ["Amazon Silk", "silk"],
  ["UC Browser", "ucbrowser", "ubrowser"],
  ["Quark", "quark"],
  ["QQ Browser", "mqqbrowser", "qqbrowser"],
  ["Mi Browser", "miuibrowser"],
  ["Huawei Browser", "huaweibrowser", "arkweb"],
  ["Vivo Browser", "vivobrowser"],
  ["HeyTap Browser", "heytapbrowser"],
  ["Meizu Browser", "mzbrowser"],
  ["Sogou Explorer", "metasr", "sogoumobilebrowser"],
  ["360 Browser", "qihoobrowser", "360se", "360ee", "qhbrowser"],
  ["Phoenix Browser", "phx"],
  ["Hi Browser", "hibrowser"],
  ["Whale", "whale"],
  ["Coc Coc", "coc_coc_browser"],
  ["Seznam Browser", "seznam.cz", "sznprohlizec"],
  ["Ecosia", "ecosia"],
  ["Avast Secure Browser", "avast"],
  ["AVG Secure Browser", "avg"],
  ["Aloha Browser", "alohabrowser"],
  ["Puffin", "puffin"],
  ["Maxthon", "maxthon", "mxios"],
  ["Sleipnir", "sleipnir"],
  ["Falkon", "falkon"],
  ["Epiphany", "epiphany"],
  ["Chromium", "chromium"],
  ["Odin", "odin"],
  ["TV Bro", "bro"],
  ["Roku Browser", "rokubrowser"],
  ["Electron", "electron"],
  ["SeaMonkey", "seamonkey"],
  ["Pale Moon", "palemoon"],
  ["Waterfox", "waterfox"],
  ["Firefox Focus", "focus", "klar"],
  ["K-Meleon", "k-meleon"],
  ["Firefox", "fxios", "firefox"],
  ["Internet Explorer", "iemobile"],
  ["Chrome", "crios", "chrome"],
];

/** Browsers whose user agent is that of Chrome, by their brands in client hints. */
export const BRAND_BROWSERS: Readonly<Record<string, string>> = {
  "Avast Secure Browser": "Avast Secure Browser",
  "AVG Secure Browser": "AVG Secure Browser",
  Brave: "Brave",
  DuckDuckGo: "DuckDuckGo",
  HuaweiBrowser: "Huawei Browser",
  "Microsoft Edge": "Microsoft Edge",
  "Oculus Browser": "Oculus Browser",
  Opera: "Opera",
  "Opera GX": "Opera GX",
  "Samsung Internet": "Samsung Internet",
  Vivaldi: "Vivaldi",
  Whale: "Whale",
  YaBrowser: "Yandex Browser",
  Yandex: "Yandex Browser",
};

/** The first group that matched is the version. Systems that name another one, as Android names Linux, come before it. */
export const OPERATING_SYSTEMS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Windows Phone", /Windows Phone(?: OS)?[ /]?([\d.]+)?|IEMobile/],
  ["HarmonyOS", /(?:Open)?HarmonyOS[ /]([\d.]+)|OpenHarmony ?([\d.]+)?|HarmonyOS/],
  ["Windows", /Windows NT ([\d.]+)|Windows|Xbox/],
  ["Chrome OS", /\bCrOS\b/],
  ["tvOS", /Apple ?TV(?:.*? OS (\d+[._\d]*))?|tvOS[ /]?([\d.]+)?/],
  ["watchOS", /Watch ?OS[ /,]?([\d.]+)?/i],
  ["iOS", /\b(?:iPhone|iPad|iPod).*? OS (\d+[._\d]*)|\biOS[ /](\d+[._\d]*)|\b(?:iPhone|iPad|iPod)/],
  ["KaiOS", /KAIOS[ /]?([\d.]+)?/i],
  ["Tizen", /Tizen[ /]?([\d.]+)?/],
  ["webOS", /Web0S|webOS/],
  ["VIDAA", /VIDAA/],
  ["TiVo OS", /TiVoOS/],
  ["Roku OS", /Roku/],
  ["PlayStation", /PlayStation/],
  ["Nintendo", /Nintendo/],
  ["Android", /Andr[o0]id[ /-]?(\d+(?:\.\d+)?)?|\bQuest\b|\bPICO\b|\bSilk\b|CPU\s?OS.*Fire/i],
  ["macOS", /(?:Macintosh.*?)?Mac OS X[ /]?(\d+[._\d]*)?|Macintosh|Mac_PowerPC/],
  ["Fuchsia", /Fuchsia/],
  ["FreeBSD", /FreeBSD/],
  ["OpenBSD", /OpenBSD/],
  ["BlackBerry", /BlackBerry|BB10/],
  ["Linux", /Linux|X11|Ubuntu|CrKey/],
];

/** The sizes of screens that makers of televisions begin a model's name with, in inches. */
const INCHES = "(?:22|24|28|32|39|40|42|43|48|49|50|55|58|60|65|70|75|77|85|86|98)";

const TV =
  /\bTV\b|[a-z]TV\b|TV[-_ \d]|Smart[-_ ]?TV|Apple ?TV|GoogleTV|HbbTV|\bBRAVIA|\bAFT[A-Z\d]|\bCrKey|Web0S|webOS\.TV|NetCast|VIDAA|Roku|TiVoOS|\bOMI\/|DTV|MiTV|MIBOX|Chromecast|SHIELD Android|VIERA|SmartCast|\bVestel|\bYNDX-\d|Box\b|\bBox[ _-]|\b4K|\bUHD|Set-?Top|STB|\bDongle|Stick\b|\bH96|\b[TX]9[56]|\bX88|\bA95X|Formuler|InettvBrowser/i;
/** The build names of Android TV: their second letter is T. */
const TV_BUILD = /Build\/[N-Z]T[A-Z]{1,2}\d?\.\d{6}/;
const TV_MODEL = new RegExp(`Android[^;]*; (?:[A-Za-z ]+[-_ ])?[A-Z]{0,7}${INCHES}[A-Z]{1,7}[-_]?\\d`);

const TABLET_MODEL =
  /\biPad|Tablet(?! PC)|(?:\b|_)Tab(?:\b|[-_\d])|[a-z]Tab\b|(?<!Cool)Pad(?:\b|[-_\d]|Pro)|\bapad\b|\bSM-[TPX]\d{3}|\bGT-[PN]\d|\bKF[A-Z]{3,5}\b|\bTB-?[\dX]|\bNexus (?:7|9|10)\b|PlayBook|\bMediaPad|FBID\/tablet|-(?:W09|W19|W29|W59|W00|AN00W)\b|\bKindle/i;

/** The first row that matches counts. */
export const DEVICE_TYPES: readonly (readonly [type: DeviceType, pattern: RegExp])[] = [
  ["xr", /OculusBrowser|\bQuest\b|\bPICO \d|PicoBrowser|Wolvic|HoloLens|\bVR\b|visionOS|Apple Vision/],
  ["console", /PlayStation|Xbox|Nintendo|Retroid|\bRG\d{3}|Steam ?Deck|\bOdin2\b|Razer Edge/],
  ["tv", TV],
  ["tv", TV_BUILD],
  ["tv", TV_MODEL],
  ["car", /Tesla\/|QtCarBrowser|Android Automotive|\bYT\d{4}[A-Z]|\bAIVI-|AirTouch PERFORMANCE|\bDUDU\d/],
  ["wearable", /Watch\b|watchOS|\bSM-R[789]\d\d|Wear ?OS|\bLEM\d\d/i],
  ["tablet", TABLET_MODEL],
  ["mobile", /Android.*Mobi|iPhone|iPod|Windows Phone|IEMobile|BlackBerry|BB10|KAIOS|Opera Mini|MIDP|J2ME/i],
  ["tablet", /Andr[o0]id/],
  ["mobile", /Mobi/],
  ["desktop", /Windows|Macintosh|Mac OS X|CrOS|Linux|X11|BSD|\(PC;/],
];
