/** The device, browser and system of an event, over HTTP. The expected names are those that people use. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openVisit } from "../install/visit.ts";
import { storedEvent } from "../ledger/reader.ts";
import { eventsBody, eventsPath, fresh, outcomesOf, pageEvent } from "../support/world.ts";

const { world, source, sessionId } = await openVisit();

const GECKO = "(KHTML, like Gecko)";
const WINDOWS = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 ${GECKO} Chrome/141.0.0.0 Safari/537.36`;
const ANDROID = `Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 ${GECKO} Chrome/141.0.0.0 Mobile Safari/537.36`;
const WEB_VIEW = `Mozilla/5.0 (Linux; Android 14; SM-S921B Build/UP1A.231005.007; wv) AppleWebKit/537.36 ${GECKO} Version/4.0 Chrome/141.0.7390.43 Mobile Safari/537.36`;
const APPLE = `AppleWebKit/605.1.15 ${GECKO}`;
const IPHONE = `Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) ${APPLE}`;
const MAC = `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${APPLE} Version/18.6 Safari/605.1.15`;
const TV_CHROME = `AppleWebKit/537.36 ${GECKO} Chrome/120.0.6099.5 Safari/537.36`;

type Names = readonly [
  device: string | null,
  os: string | null,
  osVersion: string | null,
  browser: string | null,
  browserVersion: string | null,
];

async function store(userAgent: string, headers: Record<string, string> = {}, context: object | null = null) {
  const event = pageEvent({ id: fresh("e"), context });
  const sent = { "user-agent": userAgent, ...headers };
  const reply = await world.send(eventsPath(source), eventsBody(sessionId, [event]), sent);
  assert.deepEqual(outcomesOf(reply), ["accepted"], reply.text);
  return storedEvent(world.dataDir, event.id).device;
}

async function namesOf(...request: Parameters<typeof store>): Promise<Names> {
  const { device, os, osVersion, browser, browserVersion } = await store(...request);
  return [device, os, osVersion, browser, browserVersion];
}

describe("The device of an event", () => {
  const BROWSERS: Readonly<Record<string, Names>> = {
    [WINDOWS]: ["desktop", "Windows", "10", "Chrome", "141"],
    [WINDOWS.replace(" Chrome", " HeadlessChrome")]: ["desktop", "Windows", "10", "Chrome", "141"],
    [`${WINDOWS} Edg/141.0.3537.71`]: ["desktop", "Windows", "10", "Microsoft Edge", "141"],
    [`${WINDOWS} OPR/122.0.0.0`]: ["desktop", "Windows", "10", "Opera", "122"],
    "Mozilla/5.0 (Windows NT 6.1; Trident/7.0; rv:11.0) like Gecko": [
      "desktop",
      "Windows",
      "7",
      "Internet Explorer",
      "11",
    ],
    "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0": [
      "desktop",
      "Linux",
      null,
      "Firefox",
      "143",
    ],
    [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${TV_CHROME}`]: [
      "desktop",
      "Chrome OS",
      null,
      "Chrome",
      "120",
    ],
    [MAC]: ["desktop", "macOS", "10.15", "Safari", "18.6"],
    [`${IPHONE} Version/26.0.1 Mobile/15E148 Safari/604.1`]: ["mobile", "iOS", "18.7", "Safari", "26"],
    [`${IPHONE} CriOS/141.0.7390.41 Mobile/15E148 Safari/604.1`]: ["mobile", "iOS", "18.7", "Chrome", "141"],
    [`${IPHONE} Version/18.7 Mobile/15E148 Safari/604.1 Brave`]: ["mobile", "iOS", "18.7", "Brave", null],
    [`${IPHONE} Version/18.7 Mobile/15E148 Safari/604.1 OPX/3.2.1`]: [
      "mobile",
      "iOS",
      "18.7",
      "Opera GX",
      "3.2",
    ],
    [`Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) ${APPLE} Version/18.0 Mobile/15E148 Safari/604.1`]: [
      "tablet",
      "iOS",
      "18",
      "Safari",
      "18",
    ],
    [ANDROID]: ["mobile", "Android", "10", "Chrome", "141"],
    [ANDROID.replace("Mobile ", "")]: ["tablet", "Android", "10", "Chrome", "141"],
    [ANDROID.replace("; K)", "; motorola edge 50)")]: ["mobile", "Android", "10", "Chrome", "141"],
    [ANDROID.replace("Chrome/", "SamsungBrowser/28.0 Chrome/")]: [
      "mobile",
      "Android",
      "10",
      "Samsung Internet",
      "28",
    ],
    [ANDROID.replace("Mobile Safari", "YaBrowser/25.10.1.122.00 SA/3 Mobile Safari")]: [
      "mobile",
      "Android",
      "10",
      "Yandex Browser",
      "25.10",
    ],
    [ANDROID.replace("Mobile Safari", "HuaweiBrowser/16.0.6.300 Mobile Safari")]: [
      "mobile",
      "Android",
      "10",
      "Huawei Browser",
      "16",
    ],
    [ANDROID.replace("Mobile Safari", "Mobile DuckDuckGo/5 Safari")]: [
      "mobile",
      "Android",
      "10",
      "DuckDuckGo",
      "5",
    ],
    [`Mozilla/5.0 (X11; Linux x86_64; Quest 3) AppleWebKit/537.36 ${GECKO} OculusBrowser/41.1.0.0 SamsungBrowser/4.0 Chrome/138.0.0.0 VR Safari/537.36`]:
      ["xr", "Android", null, "Oculus Browser", "41.1"],
    [`Mozilla/5.0 (Web0S; Linux/SmartTV) ${TV_CHROME} WebAppManager`]: ["tv", "webOS", null, "Chrome", "120"],
    [`Mozilla/5.0 (SMART-TV; LINUX; Tizen 8.0) AppleWebKit/537.36 ${GECKO} 120.0/8.0 TV Safari/537.36`]: [
      "tv",
      "Tizen",
      "8",
      "Safari",
      null,
    ],
    [`Mozilla/5.0 (Linux; Android 9; AFTMON001 Build/PS7664.3772N; wv) AppleWebKit/537.36 ${GECKO} Version/4.0 Chrome/120.0.1.2 Mobile Safari/537.36`]:
      ["tv", "Android", "9", "Chrome", "120"],
    [`Mozilla/5.0 (PlayStation; PlayStation 5/9.00) ${APPLE} Version/17.0 Safari/605.1.15`]: [
      "console",
      "PlayStation",
      null,
      "Safari",
      "17",
    ],
    [`Mozilla/5.0 (X11; GNU/Linux) ${TV_CHROME} Tesla/2025.32.3`]: ["car", "Linux", null, "Chrome", "120"],
    [`Mozilla/5.0 (Linux; Android 11; SM-R895F) AppleWebKit/537.36 ${GECKO} SamsungBrowser/4.0 Chrome/121.0.0.0 Mobile Safari/537.36`]:
      ["wearable", "Android", "11", "Samsung Internet", "4"],
  };
  it("has names and versions as people write them", async () => {
    for (const [userAgent, names] of Object.entries(BROWSERS))
      assert.deepEqual(await namesOf(userAgent), names, userAgent);
  });

  it("names the app of an in-app browser", async () => {
    const apps = {
      [`${IPHONE} Mobile/22H20 Instagram 400.0.0.20.9 (iPhone14,2; iOS 18_7; de_DE)`]: "Instagram",
      [`${IPHONE} Mobile/22H20 [FBAN/FBIOS;FBAV/530.0.0.1.2;FBBV/1;FBDV/iPhone15,2;FBMD/iPhone]`]: "Facebook",
      [`${WEB_VIEW} [FB_IAB/FB4A;FBAV/530.0.0.1.2;]`]: "Facebook",
      [`${IPHONE} Mobile/22H20 [FBAN/MessengerForiOS;FBAV/530.0.0.1.2]`]: "Messenger",
      [`${WEB_VIEW} musical_ly_2024 BytedanceWebview/d8a21c6`]: "TikTok",
      [`${IPHONE} Mobile/22H20 [LinkedInApp]/9.31.1`]: "LinkedIn",
      [`${IPHONE} Version/18.7 Mobile/15E148 Snapchat/13.60.0.45 (like Safari/8621.3.11.10.3, panda)`]:
        "Snapchat",
      [`${IPHONE} Mobile/15E148 Twitter for iPhone/11.30`]: "X",
      [`${WEB_VIEW} Line/15.16.0/IAB`]: "Line",
      [`${WEB_VIEW};KAKAOTALK 2510900`]: "KakaoTalk",
      [`${WEB_VIEW} MicroMessenger/8.0.49 WeChat/arm64`]: "WeChat",
      [`${WEB_VIEW} GSA/15.40.31.29.arm64`]: "Google Search",
    };
    for (const [userAgent, name] of Object.entries(apps)) {
      const { browser, device, isBot } = await store(userAgent);
      assert.deepEqual([browser, device, isBot], [name, "mobile", false], userAgent);
    }
  });

  it("names browsers and apps by words that are joined with their version", async () => {
    const agents: Readonly<Record<string, readonly [browser: string, version: string | null]>> = {
      [`${IPHONE} Mobile/15E148 musical_ly_35.1.0 JsSdk/2.0 NetType/WIFI ByteLocale/en`]: ["TikTok", "35.1"],
      [`${WEB_VIEW} trill_2022704050 JsSdk/1.0 AppName/trill`]: ["TikTok", null],
      [`${IPHONE} Mobile/15E148 aweme_31.9.0 Region/CN ByteLocale/zh`]: ["Douyin", "31.9"],
      [ANDROID.replace("Mobile Safari", "UCMobile/15.0.6.1382 Mobile Safari")]: ["UC Browser", "15"],
      [ANDROID.replace("Mobile Safari", "HonorBrowser/3.0.7.305 Mobile Safari")]: ["Honor Browser", "3"],
      [`Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 ${GECKO} Chr0me/87.0.4280.88 Safari/537.36 LG Browser/8.00.00(LGE; 50DW9900)`]:
        ["LG Browser", "8"],
      [`${WINDOWS} Avira/141.0.0.0`]: ["Avira Secure Browser", "141"],
    };
    for (const [userAgent, names] of Object.entries(agents)) {
      const [, , , ...browser] = await namesOf(userAgent);
      assert.deepEqual(browser, names, userAgent);
    }
  });

  it("is told by the series of an Android device, whether the browser says Mobile or not", async () => {
    const kinds: Readonly<Record<string, string>> = {
      tablet: "24091RPADC|OPD2403|AGS3-AL09|PMT4238_4G|TB-Q706Z|iPlay50 mini|LG-V530",
      tv: "VONTAR X4|UGOOS-AM6|CT-8740|TVBOX_L|HK1 Max|65UHD-X1",
      mobile: "TECNO KM6|SM-G9650|SM-F936B|RMX3619|CPH2451|V2178A|HTV31|era 4",
      desktop: "ASUS Chromebook Flip C302|HP EliteBook 820 G2",
      car: "QUAD-CORE T3 p1|MPC-70",
    };
    for (const [kind, series] of Object.entries(kinds))
      for (const model of series.split("|"))
        for (const agent of [
          ANDROID,
          kind === "mobile" && /^[HE]/i.test(model) ? ANDROID : ANDROID.replace("Mobile ", ""),
        ])
          assert.equal((await store(agent.replace("; K)", `; ${model} Build/X1)`))).device, kind, model);
  });

  it("is null for a user agent that names nothing", async () => {
    for (const userAgent of ["x", "python-requests/2.32.3"])
      assert.deepEqual(await namesOf(userAgent), [null, null, null, null, null], userAgent);
  });
});

describe("Client hints", () => {
  const hints = (platform: string, more: Record<string, string> = {}) => ({
    "sec-ch-ua": '"Chromium";v="141", "Google Chrome";v="141", "Not?A_Brand";v="8"',
    "sec-ch-ua-mobile": "?0",
    "sec-ch-ua-platform": `"${platform}"`,
    ...more,
  });

  it("tell Windows 11, the version of macOS and of Android", async () => {
    const version = (value: string) => ({ "sec-ch-ua-platform-version": `"${value}"` });
    const systems: [userAgent: string, platform: string, version: string, expected: string][] = [
      [WINDOWS, "Windows", "15.0.0", "11"],
      [WINDOWS, "Windows", "10.0.0", "10"],
      [MAC.replace("Version/18.6", "Chrome/141.0.0.0"), "macOS", "15.6.1", "15.6"],
      [ANDROID, "Android", "16.0.0", "16"],
    ];
    for (const [userAgent, platform, value, expected] of systems)
      assert.equal((await namesOf(userAgent, hints(platform, version(value))))[2], expected, value);
  });

  it("name a browser that has the user agent of Chrome", async () => {
    const brands = '"Chromium";v="141.0.7390.54", "Brave";v="141.0.7390.54", "Not?A_Brand";v="8.0.0.0"';
    const [, , , browser, version] = await namesOf(WINDOWS, hints("Windows", { "sec-ch-ua": brands }));
    assert.deepEqual([browser, version], ["Brave", "141"]);
  });

  it("tell a tablet by its model", async () => {
    const tablet = hints("Android", { "sec-ch-ua-mobile": "?1", "sec-ch-ua-model": '"SM-X210"' });
    assert.equal((await store(ANDROID, tablet)).device, "tablet");
  });

  it("are ignored when they are about another system, or another user agent than the event's", async () => {
    const windows11 = hints("Windows", { "sec-ch-ua-platform-version": '"15.0.0"' });
    assert.equal((await store(ANDROID, windows11)).osVersion, "10");
    const { os, osVersion } = await store(WINDOWS, windows11, { userAgent: ANDROID });
    assert.deepEqual([os, osVersion], ["Android", "10"]);
  });

  it("are used when the event names the request's own user agent", async () => {
    const windows11 = hints("Windows", { "sec-ch-ua-platform-version": '"15.0.0"' });
    assert.equal((await store(WINDOWS, windows11, { userAgent: WINDOWS })).osVersion, "11");
  });

  it("of one event are not taken from the user agent that another event names", async () => {
    const userAgent = WINDOWS.replace("141", "97");
    const windows11 = hints("Windows", { "sec-ch-ua-platform-version": '"15.0.0"' });
    await store(WINDOWS, {}, { userAgent: [userAgent, ...Object.values(windows11), ""].join("\n") });
    assert.equal((await store(userAgent, windows11)).osVersion, "11");
  });

  it("that are malformed are ignored", async () => {
    for (const odd of ["", '"', "?1", '"Windows', `${'"'.repeat(400)}`, "\u00e9;v=1"]) {
      const names = ["sec-ch-ua", "sec-ch-ua-mobile", "sec-ch-ua-platform", "sec-ch-ua-platform-version"];
      const headers = Object.fromEntries(names.map((name) => [name, odd]));
      assert.deepEqual(await namesOf(WINDOWS, headers), ["desktop", "Windows", "10", "Chrome", "141"], odd);
    }
  });
});

describe("An iPad that calls itself a Mac", () => {
  it("is a tablet when the event has the screen of an iPad", async () => {
    const screen = { width: 820, height: 1180 };
    assert.deepEqual(await namesOf(MAC, {}, { screen }), ["tablet", "iOS", null, "Safari", "18.6"]);
  });

  it("A Mac stays one, even with a screen on its side", async () => {
    for (const screen of ["1470x956", "1080x1920", "1440x2560"])
      assert.equal((await store(MAC, {}, { screen })).device, "desktop", screen);
    const chrome = MAC.replace("Version/18.6", "Chrome/141.0.0.0");
    assert.equal((await store(chrome, {}, { screen: "820x1180" })).device, "desktop");
  });
});
