/** The browsers, systems and kinds of devices that are known by name, each with how a user agent shows it. */

export type DeviceType = "desktop" | "mobile" | "tablet" | "tv" | "console" | "wearable" | "car" | "xr";

/**
 * Words of a user agent that name a browser, in lower case. The first row with a word of the user agent counts: an app comes
 * before the browser that it contains, and a browser before the one that it pretends to be. The browser's version follows
 * the word.
 */
export const WORD_BROWSERS: readonly (readonly [name: string, ...words: string[]])[] = [
  // apps
  ["Threads", "barcelona"],
  ["Instagram", "instagram"],
  ["Messenger", "messengerforios", "messengerliteforios", "orca-android", "messenger"],
  ["Facebook", "fbav", "fban", "fb_iab", "fbios", "metaiab"],
  ["Douyin", "aweme"],
  ["TikTok", "musical_ly", "musically_go", "bytedancewebview", "bytelocale", "tiktok", "trill", "ultralite"],
  ["Snapchat", "snapchat"],
  ["LinkedIn", "linkedinapp"],
  ["Pinterest", "pinterest"],
  ["X", "twitterandroid", "twitter"],
  ["Reddit", "reddit"],
  ["WhatsApp", "whatsapp", "whatsappelectron"],
  ["Telegram", "telegram-android", "telegram"],
  ["Viber", "viber"],
  ["Discord", "discord"],
  ["Slack", "slack_ssb", "slack"],
  ["Microsoft Teams", "teamsmobile-android", "teamsmobile-ios", "teams"],
  ["Microsoft Outlook", "outlook-ios", "outlook-android"],
  ["WeChat", "micromessenger", "wechat"],
  ["DingTalk", "dingtalk"],
  ["Alipay", "alipayclient", "aliapp"],
  ["Weibo", "weibo"],
  ["QQ", "qq"],
  ["Baidu", "baiduboxapp", "baidubrowser", "bidubrowser"],
  ["KakaoTalk", "kakaotalk"],
  ["Naver", "naver"],
  ["Daum", "daumapps"],
  ["Line", "line"],
  ["Zalo", "zalo"],
  ["Yahoo Japan", "yjapp-android", "yjapp-ios"],
  ["Google Search", "gsa", "googleapp"],
  ["Yahoo Search", "yahoosearch"],
  ["Kwai", "kwai", "kwai_pro"],
  ["Kimi", "kimi"],
  ["Genspark", "genspark_android", "genspark_ios"],
  ["Microsoft Copilot", "copilot"],
  ["Microsoft Bing", "bingsapphire", "bingweb"],
  // browsers on Chromium, Gecko and WebKit
  [
    "Yandex Browser",
    "yabrowser",
    "yandexsearch",
    "yasearchbrowser",
    "yaapp_android",
    "yaapp_ios",
    "yandexsearchbrowser",
  ],
  ["Opera Mini", "mini", "opios"],
  ["Opera GX", "oprgx", "opx"],
  ["Opera", "opr", "opt", "opera", "omi"],
  ["Microsoft Edge", "edg", "edga", "edgios", "edge", "edgw"],
  ["Pico Browser", "picobrowser"],
  ["Wolvic", "wolvic"],
  ["Oculus Browser", "oculusbrowser"],
  ["Samsung Internet", "samsungbrowser"],
  ["DuckDuckGo", "ddg", "duckduckgo"],
  ["Brave", "brave"],
  ["Vivaldi", "vivaldi", "vivaios"],
  ["ChatGPT Atlas", "atlas"],
  ["Doubao", "samanthadoubao", "doubao"],
  ["Amazon Silk", "silk"],
  ["UC Browser", "ucbrowser", "ucbrowserhd", "ucmobile", "ucpc", "uckai", "ucweb", "ubrowser"],
  ["Quark", "quark", "quarkpc"],
  ["QQ Browser", "mqqbrowser", "qqbrowser", "mqbhd"],
  ["Mi Browser", "miuibrowser"],
  ["Honor Browser", "honorbrowser", "bdhonorbrowser"],
  ["360 Browser", "qihoobrowser", "360se", "360ee", "qhbrowser", "alitephonebrowser", "harmony360browser"],
  ["Huawei Browser", "huaweibrowser", "hbpc", "arkweb"],
  ["Vivo Browser", "vivobrowser"],
  ["HeyTap Browser", "heytapbrowser"],
  ["Meizu Browser", "mzbrowser"],
  ["Sogou Explorer", "metasr", "sogoumobilebrowser"],
  ["Phoenix Browser", "phx"],
  ["Hi Browser", "hibrowser"],
  ["Whale", "whale"],
  ["Whale TV Browser", "whalebrowser"],
  ["LG Browser", "lgbrowser"],
  ["Coc Coc", "coc_coc_browser"],
  ["Seznam Browser", "seznam.cz", "sznprohlizec"],
  ["Ecosia", "ecosia"],
  ["Avast Secure Browser", "avast", "avastsecurebrowser"],
  ["AVG Secure Browser", "avg"],
  ["Avira Secure Browser", "avira"],
  ["AdBlock Browser", "abb"],
  ["Aloha Browser", "alohabrowser"],
  ["AOL Shield", "aolshield"],
  ["Atom", "atom"],
  ["BrowseHere", "com.tcl.browser"],
  ["Cliqz", "cliqz"],
  ["Comodo Dragon", "dragon"],
  ["Diigo Browser", "diigobrowser"],
  ["Floorp", "floorp"],
  ["Ghostery", "ghostery"],
  ["GO Browser", "litebrowser"],
  ["JioSphere", "jiosphere"],
  ["Lunascape", "lunascape", "ilunascape"],
  ["Midori", "midori", "midoribrowser"],
  ["Mullvad Browser", "mullvadbrowser"],
  ["OceanHero", "oceanhero"],
  ["Pi Browser", "pibrowser"],
  ["Rakuten Browser", "rakutenbrowser"],
  ["Rakuten Web Search", "rakutenwebsearch"],
  ["SberBrowser", "sberbrowser"],
  ["SkyLeap", "skyleap"],
  ["Smooz", "smooz"],
  ["Soul Browser", "soul"],
  ["Startpage", "startpage"],
  ["YouBrowser", "youbrowser"],
  ["Tesla Browser", "teslabrowser"],
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
  ["QtWebEngine", "qtwebengine"],
  ["SeaMonkey", "seamonkey"],
  ["Pale Moon", "palemoon"],
  ["Waterfox", "waterfox"],
  ["Firefox Focus", "focus", "klar"],
  ["K-Meleon", "k-meleon"],
  ["Firefox", "fxios", "firefox"],
  ["Internet Explorer", "iemobile"],
  ["Chrome", "crios", "chrome", "headlesschrome"],
];

/** Browsers whose user agent is that of Chrome, by their brands in client hints. */
export const BRAND_BROWSERS: Readonly<Record<string, string>> = {
  "Avast Secure Browser": "Avast Secure Browser",
  "AVG Secure Browser": "AVG Secure Browser",
  Brave: "Brave",
  "Brave Browser": "Brave",
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

/** Signs of televisions, and of the boxes and sticks that are connected to one. */
const TV =
  /\bTV\b|(?<!\bBN)(?!d)[a-z]TV\b|(?<![hs])TV[-_ \d]|Smart[-_ ]?TV|Apple ?TV|GoogleTV|HbbTV|\bBRAVIA|\bAFT[A-Z\d]|\bCrKey|Web0S|webOS\.TV|NetCast|VIDAA|Roku|TiVoOS|\bOMI\/|MiTV|MIBOX|Chromecast|SHIELD Android|VIERA|SmartCast|\bVestel(?!_\d)|\bYNDX-\d|Box\b|\bBox[ _-]|\b4K|UHD|Set-?Top|STB|\bDongle|Stick\b|\bH96(?!\d)|\bX88|\bA95X|Formuler|InettvBrowser/i;
/** The build names of Android TV: their second letter is T. */
const TV_BUILD = /Build\/[N-Z]T[A-Z]{1,2}\d?\.\d{6}/;

/** A pattern of models: each word begins after a blank, a hyphen or an underscore. */
const models = (words: string, flags = "") => new RegExp(`(?:^|[ _;-])(?:${words})`, flags);

const TV_MODEL = models(`[A-Z]{0,7}${INCHES}[A-Z]{1,7}[-_]?\\d`);
/** Series of boxes and televisions whose user agent says no more. */
const TV_SERIES = models(
  "ABX-\\d|AS_?4K|AS51\\d|ATOM-\\d|CT-8\\d{3}|DV[89]\\d{3}|EVPAD|Gaz(?:al|er)|GT-?King|GT1[-_]?mini|GTX-|H-DMP|HIBERG|HK1|iconBIT|KANT-\\d|(?<!TECNO )KM\\d{1,2}(?: ?Pro)?\\b|Matador|ME-?COOL|MXQ|Neko_|NEO[-_ ]?[XU]\\d|Netta|Nexon|Nexus Player|NV\\d{3}|Orbsmart|Perfeo_|POLAR(?:LINE)?_|Rombica|SELENGA|\\w* Shell|Skystream|Technosat|TLE-\\d|TOX\\d|Transpeed|TX[3569] ?(?:s|Pro|Max|Mini|\\b)|Ugoos|UT[38]|VMP-?\\d|A5X MAX|M8S ?(?:MAX|PLUS|PRO)|Beelink|pendoo|OzoneHD|Yundoo|Vega S95|GI \\w|Eagle (?:Classic|Elite|Gold)|RKM MK|(?:IP-\\d0|S[678]00) MAX|INVIN|Andowl|K(?:II*|B2|K) (?:Plus|Pro|MAX)|ELED-|Hiremco|VIM2|TR99|EC6108|FengMi|GTCombo|Draco|DVS |X-Media|XR4500|H10 Play|N5Max|N5Nova|Soullink|QK?9MAX|SEI\\d|Vontar|Vorke|XDSR?\\d{3}|XLR\\d|ZIDOO|[TX]9[56](?!Pro|i?\\b)|\\d\\dYUHD",
  "i",
);
/** `BOXD7`, `MBox3` and `TVBOX_L`, but not `Boxer`. */
const TV_BOX = /(?:BOX|[Bb]ox)(?![a-z])/;

const TABLET =
  /\biPad|Tablet(?! PC)|(?:\b|_)Tab(?:\b|[-_\d])|[a-z]Tab\b|(?<!Cool)Pad(?:\b|[-_\d]|Pro)|\bapad\b|\bSM-[TPX]\d{3}|\bGT-[PN]\d|\bKF[A-Z]{3,5}\b|\bTB-?[\dXQ]|\bNexus (?:7|9|10)\b|PlayBook|\bMediaPad|FBID\/tablet|\bKindle/i;
/** Series of tablets whose user agent says `Mobile` or names nothing else. */
const TABLET_SERIES = models(
  "[A-Z]{3}\\d?-W[0-35]\\d|[A-Z]{3}-AN00W|(?:AG[RS]|BAH|BTV|BVE|BZ[A-Z]|CMR|DB[RY]|GOT|JDN|JMS|KOB|Kobe|KRJ|MR[RX]|SCMR?|SHT|TGR|VRD)\\d?K?-[A-Z]{1,2}\\d|(?:80[89]|90[126]|91[36])\\d[A-Z]?(?:_|\\b)|\\d{5}RP|OPD\\d{4}|i?PA2[2-9]\\d{2}\\b|iPlay|PMT\\d{4}|[CPT][ST][1278]\\d{3}[A-Z]{2}\\b|BQ-(?:7|8|10)\\d{2,3}|Nomi_?C1?0[78]?\\d|RT\\d\\b|TZ\\d{3}|YT3?-X|Hope[78]|Pixus_(?!Jet)|Wave[- ]i|TEL-\\d{2,4}G|TEO[A-Z]?\\d|TDT\\d{4}|RCT\\d|RC7T|KT\\d{3}P|ALFA_?\\d|[A-Z]*TAB\\d|iBall|Slate|E(?:agle|AGLE)_\\d|Hanson|[SK](?:180|2[78]0|[345]70|470)|Viva_[CH\\d]|WO \\d|Readboy|MT-T|AX50|Kids\\b|KIDS\\d|MID(?!N)|TM-MID|\\d*TPC|M40(?:Plus|SE|_)|P(?:40|80|85)(?:HD|S)?_|T(?:1\\dE|2\\dM|40|8\\dN)|NAVITEL|LP.T70|EX[78][A-Z]|Geofox|ARCHOS T|PB-6|PTB|BDF|SMART_[GW]|M[78](?:_[34]G|_Wifi|[A-Z]\\w* 2)|Express|PLATINUM_VIEW|Elite (?:T10|Octa)|(?:Quartz)?T10[-EK_]|Alldocube|iT-K|LAVIE|Vanky|VOLTA[45]|ZTE (?:T\\d{4}|V70)|Surface Duo|U70[BC]|Optima|Plane|Pluri_|Magnet_|MONZA-T|QUANTUM_2_(?:960|1010)|BZ[DW]-|E101G|E17\\d?\\b|Twinkle_i|Swipe_Str|Active 10|TECNO P70|I?itel (?:W7|P100|it170)|LG-V\\d{3}|903\\d[A-Z]|Nokia T\\d|TECNO (?:DP|P90)|PLT\\d{4}G|BQru-(?:7|10)\\d|GEM-70|Ginzzu GT-|IDbot|HTC A10|B1-7|BG[2O]-|CPN-|BTK-|MON-|XYAO|BRT-|22081283|21051182|A7600|iRULU|PSP7610|ASUS_P00|Acer One",
);

/** Phones, also when the browser leaves out `Mobile`. */
const PHONE_SERIES = models(
  "SM-[ACEFGJMNSW]\\d{3}|RMX\\d{4}|P[A-Z]{3}\\d{2}\\b|PHN\\d{3}|SC[GV]?\\d{2}|LG-[A-Z]\\d{3}|ASUS_|Redmi|POCO|Nokia|vivo |itel|HTC|ONEPLUS|OnePlus|A\\d{3}(?:OP|SO|SH|FC)|SO-\\d{2}|SH-\\w?\\d|XQ-|[GFH]8\\d{3}|moto|XT\\d{4}|CPH\\d{4}|V[12]\\d{3}[A-Z]{0,2}\\b|M20\\d\\d[A-Z]\\d|2\\d{3,8}[A-Z]{1,3}\\b|[A-Z]{3}-(?:AN|AL|LX|TL)\\d|Pixel \\d|Infinix|TECNO|ZTE Blade|RedMagic|NX\\d{3}J",
);

/** The first row that matches counts. A pattern with `model` reads the model of an Android device only. */
export const DEVICE_TYPES: readonly (readonly [type: DeviceType, pattern: RegExp, part?: "model"])[] = [
  [
    "xr",
    /OculusBrowser|\bQuest\b|\bPICO (?:Neo )?\d|PicoBrowser|Wolvic|HoloLens|\bVR\b|visionOS|Apple Vision/i,
  ],
  ["console", /PlayStation|Xbox|Nintendo|Retroid|\bRG[345]\d{2}|Steam ?Deck|\bOdin2\b|Razer Edge/],
  [
    "desktop",
    models(
      "(?:\\w+ )?Chromebook|(?:Google )?Pixelbook|(?:HP )?EliteBook|ThinkPad|Latitude|Inspiron|Vostro|TravelMate|Satellite|NUC\\d|Remix Mini",
      "i",
    ),
    "model",
  ],
  [
    "car",
    models("(?:QUAD|OCTA|OCTOPUS)-CORE|UltraOcta|8227L|F9212|MPC-\\d|SDA-\\d|YT9\\d{3}|DiLink"),
    "model",
  ],
  ["tv", TV],
  ["tv", TV_BUILD],
  ["tv", TV_MODEL, "model"],
  ["tv", TV_SERIES, "model"],
  ["tv", TV_BOX, "model"],
  ["car", /Tesla\/|QtCarBrowser|Android Automotive|\bYT\d{4}[A-Z]|\bAIVI-|AirTouch PERFORMANCE|\bDUDU\d/],
  ["wearable", /Watch\b|watchOS|\bSM-R[789]\d\d|Wear ?OS|\bLEM\d\d/i],
  ["tablet", TABLET],
  ["tablet", TABLET_SERIES, "model"],
  ["mobile", /Android.*Mobi|iPhone|iPod|Windows Phone|IEMobile|BlackBerry|BB10|KAIOS|Opera Mini|MIDP|J2ME/i],
  ["mobile", PHONE_SERIES, "model"],
  ["tablet", /Andr[o0]id/],
  ["mobile", /Mobi/],
  ["desktop", /Windows|Macintosh|Mac OS X|CrOS|Linux|X11|BSD|\(PC;/],
];
