/** How often devices and bots are right: for real visits, for lists of crawlers, and for any text. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import crawlers from "crawler-user-agents";
import { detectDevice } from "../../src/devices/detect-device.ts";
import { detectBot } from "../../src/ingest/detect-bot.ts";
import { createTimeBudget } from "../../src/overload/time-budget.ts";

interface RealVisit {
  readonly userAgent: string;
  readonly deviceCategory: string;
  /** The visit's share of all visits. */
  readonly weight: number;
}

/** Real visits, collected by the package `user-agents`. */
const VISITS: readonly RealVisit[] = JSON.parse(
  readFileSync(new URL("user-agents.json", import.meta.resolve("user-agents")), "utf8"),
);

/** The browser by its own token alone, which is all that this simple reading knows. */
function browserByToken(userAgent: string): string {
  const tokens: [token: string, name: string][] = [
    ["Instagram", "Instagram"],
    ["Barcelona", "Threads"],
    ["[FB", "Facebook"],
    ["Snapchat/", "Snapchat"],
    ["GSA/", "Google Search"],
    ["YaBrowser/", "Yandex Browser"],
    ["Edg", "Microsoft Edge"],
    ["OPX/", "Opera GX"],
    ["OPR/", "Opera"],
    ["OPT/", "Opera"],
    ["SamsungBrowser/", "Samsung Internet"],
    ["Ddg/", "DuckDuckGo"],
    ["DuckDuckGo/", "DuckDuckGo"],
    ["Brave", "Brave"],
    ["Silk/", "Amazon Silk"],
    ["MiuiBrowser/", "Mi Browser"],
    ["FxiOS/", "Firefox"],
    ["Firefox/", "Firefox"],
    ["CriOS/", "Chrome"],
    ["Chrome/", "Chrome"],
  ];
  return tokens.find(([token]) => userAgent.includes(token))?.[1] ?? "Safari";
}

function systemByToken(userAgent: string): string {
  const tokens: [token: string, name: string][] = [
    ["Windows NT", "Windows"],
    ["iPhone", "iOS"],
    ["iPad", "iOS"],
    ["CrOS", "Chrome OS"],
    ["Android", "Android"],
    ["Macintosh", "macOS"],
  ];
  return tokens.find(([token]) => userAgent.includes(token))?.[1] ?? "Linux";
}

function shareOf(matches: (visit: RealVisit) => boolean): number {
  const weightOf = (visits: readonly RealVisit[]) => visits.reduce((sum, { weight }) => sum + weight, 0);
  return weightOf(VISITS.filter(matches)) / weightOf(VISITS);
}

describe("Of 10,000 real visits, weighted by how frequent they are", () => {
  it("device, browser and system of 99.5 % are right", () => {
    assert.ok(VISITS.length >= 10_000);
    const device = shareOf(
      ({ userAgent, deviceCategory }) => detectDevice(userAgent).device === deviceCategory,
    );
    const browser = shareOf(({ userAgent }) => detectDevice(userAgent).browser === browserByToken(userAgent));
    const system = shareOf(({ userAgent }) => detectDevice(userAgent).os === systemByToken(userAgent));
    for (const share of [device, browser, system]) assert.ok(share >= 0.995, `${[device, browser, system]}`);
  });

  it("none is a bot", () => {
    assert.deepEqual(
      VISITS.filter(({ userAgent }) => detectBot(userAgent)).map(({ userAgent }) => userAgent),
      [],
    );
  });
});

describe("Bots", () => {
  it("of 2,000 known crawlers, 99.5 % are recognized", () => {
    const agents = crawlers.flatMap(({ instances }) => instances);
    assert.ok(agents.length > 2_000);
    const missed = agents.filter((userAgent) => !detectBot(userAgent));
    assert.ok(missed.length <= agents.length * 0.005, missed.join("\n"));
  });

  it("every crawler of a company for artificial intelligence is recognized", () => {
    const names =
      "GPTBot OAI-SearchBot ChatGPT-User ClaudeBot Claude-User Claude-SearchBot anthropic-ai PerplexityBot Perplexity-User Google-Extended GoogleOther Gemini-Deep-Research Google-NotebookLM Amazonbot Amzn-User Amzn-SearchBot Applebot-Extended Bytespider CCBot cohere-ai DuckAssistBot FacebookBot Meta-ExternalAgent Meta-ExternalFetcher MistralAI-User Diffbot YouBot PetalBot Timpibot ImagesiftBot omgili Kangaroo-Bot PanguBot img2dataset";
    const missed = names
      .split(" ")
      .flatMap((name) => [
        `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ${name}/1.0) Chrome/119.0.0.0 Safari/537.36`,
        `${name}/1.0`,
      ])
      .filter((userAgent) => !detectBot(userAgent));
    assert.deepEqual(missed, []);
  });

  it("a headless browser, a monitor and an HTTP library are recognized", () => {
    for (const userAgent of [
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/141.0.0.0 Safari/537.36",
      "Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)",
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/117.0.0.0 Safari/537.36 GTmetrix",
      "python-requests/2.32.3",
    ])
      assert.ok(detectBot(userAgent), userAgent);
  });

  it("a device whose name resembles a crawler's is not a bot", () => {
    const android = (model: string) =>
      `Mozilla/5.0 (Linux; Android 11; ${model}; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.134 Mobile Safari/537.36`;
    for (const userAgent of [
      android("INDURAMA GOOGLE TV 4K Build/RTM9.241015.016"),
      android("GM Discovery II"),
      android("S308 Build/CUBOT"),
      `${android("V2218A")} AlipayDefined(nt:WIFI,ws:390|780|3.0) AliApp(AP/10.5.16.6000) AlipayClient/10.5.16.6000`,
      `${android("LGE-AN10")} Process/toolsmp MicroMessenger/8.0.21.2120`,
    ])
      assert.equal(detectBot(userAgent), false, userAgent);
  });
});

describe("Any text", () => {
  it("is read without an error, within milliseconds", () => {
    const parts = [
      "(",
      ")",
      "Linux; Android ",
      "iPhone OS ",
      "AliApp(",
      ";",
      " ",
      "TV",
      "/",
      "9",
      ".",
      "_",
      "é",
      "\0",
    ];
    const agents = parts.flatMap((one) =>
      parts.map((other) => `Mozilla/5.0 (Linux; ${(one + other).repeat(256)}`.slice(0, 512)),
    );
    for (const userAgent of [...agents, "", "\ud800", "Mozilla/5.0 ("]) {
      const fastest = Math.min(
        ...[1, 2, 3].map(() => {
          const startedAt = performance.now();
          detectDevice(userAgent);
          detectBot(userAgent);
          return performance.now() - startedAt;
        }),
      );
      assert.ok(fastest < 10, `${fastest} ms: ${userAgent}`);
    }
  });

  it("A time budget runs work until it is used up, and again when time has passed", () => {
    let now = 0;
    const { run } = createTimeBudget({ msPerSecond: 20, maxMs: 10, stopwatch: () => now });
    const work = () => {
      now += 4;
      return "done";
    };
    assert.deepEqual([run(work), run(work), run(work), run(work)], ["done", "done", "done", null]);
    now += 1_000;
    assert.equal(run(work), "done");
  });
});
