/** The source and channel of a visit: worked examples of each channel, own hosts, click ids, rules, and any input at all. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ChannelRule } from "@headwater/contract";
import { CLICK_IDS } from "@headwater/contract/campaign-parameters";
import { CHANNELS } from "@headwater/contract/channels";
import fc from "fast-check";
import { readCampaign } from "../../src/channels/campaign.ts";
import { classifyVisit, compileChannelRules } from "../../src/channels/classify-visit.ts";
import { sitesOfOrigins } from "../../src/channels/public-suffixes.ts";
import { createSourceLists } from "../../src/channels/source-lists.ts";

interface ExampleVisit {
  referrer?: string | null;
  query?: string;
  pageHost?: string | null;
  allowedOrigins?: string[];
  rules?: ChannelRule[];
}

const lists = createSourceLists();

function classify({ referrer = null, query = "", pageHost = "www.shop.example", ...own }: ExampleVisit) {
  const { source, channel } = classifyVisit(
    { referrer, pageHost, campaign: readCampaign(query) },
    {
      lists,
      ownSites: sitesOfOrigins(own.allowedOrigins ?? []),
      rules: compileChannelRules(own.rules ?? []),
    },
  );
  return [source, channel];
}

/** Checks a table of referrers or queries with the expected source and channel. */
function expect(
  visitOf: (text: string) => ExampleVisit,
  rows: readonly (readonly [string, string | null, string])[],
) {
  for (const [text, source, channel] of rows)
    assert.deepEqual(classify(visitOf(text)), [source, channel], text);
}
const byReferrer = (referrer: string) => ({ referrer });
const byQuery = (query: string) => ({ query });

describe("A visit without a campaign", () => {
  it("is direct without a referrer, and with one that is not an address.", () => {
    assert.deepEqual(classify({}), [null, "Direct"]);
    for (const referrer of [
      "",
      "not an address",
      "about:blank",
      "https://",
      `https://${"a.".repeat(130)}example/`,
    ])
      assert.deepEqual(classify({ referrer }), [null, "Direct"], referrer);
  });

  it("comes from a search engine, in every country and on every device.", () => {
    expect(byReferrer, [
      ["https://www.google.com/", "Google", "Organic Search"],
      ["https://www.google.co.uk/search?q=x", "Google", "Organic Search"],
      ["https://www.google.com.pk", "Google", "Organic Search"],
      ["android-app://com.google.android.googlequicksearchbox/", "Google", "Organic Search"],
      ["https://cn.bing.com/", "Bing", "Organic Search"],
      ["https://uk.search.yahoo.com/", "Yahoo!", "Organic Search"],
      ["https://duckduckgo.com/", "DuckDuckGo", "Organic Search"],
      ["https://yandex.kz/", "Yandex", "Organic Search"],
      ["https://search.brave.com/", "Brave", "Organic Search"],
      ["https://www.ecosia.org/", "Ecosia", "Organic Search"],
      ["https://search.example.net/", "search.example.net", "Organic Search"],
    ]);
  });

  it("comes from a social network, a video platform or a shop.", () => {
    expect(byReferrer, [
      ["https://l.facebook.com/", "Facebook", "Organic Social"],
      ["android-app://com.linkedin.android/", "LinkedIn", "Organic Social"],
      ["https://t.co/abc", "Twitter", "Organic Social"],
      ["https://x.com/", "Twitter", "Organic Social"],
      ["https://out.reddit.com/", "Reddit", "Organic Social"],
      ["https://www.pinterest.lt/", "Pinterest", "Organic Social"],
      ["https://news.ycombinator.com/item?id=1", "Hacker News", "Organic Social"],
      ["https://m.youtube.com/", "YouTube", "Organic Video"],
      ["https://player.vimeo.com/", "Vimeo", "Organic Video"],
      ["https://smile.amazon.co.jp/", "Amazon", "Organic Shopping"],
      ["https://www.etsy.com/", "Etsy", "Organic Shopping"],
      ["https://shopping.google.com/", "Google Shopping", "Organic Shopping"],
    ]);
  });

  it("comes from an AI assistant.", () => {
    expect(byReferrer, [
      ["https://chatgpt.com/", "ChatGPT", "AI"],
      ["https://chat.openai.com/", "ChatGPT", "AI"],
      ["https://www.perplexity.ai/", "Perplexity", "AI"],
      ["https://gemini.google.com/", "Google Gemini", "AI"],
      ["https://copilot.microsoft.com/", "Microsoft Copilot", "AI"],
      ["https://claude.ai/", "Claude", "AI"],
      ["https://chat.deepseek.com/", "DeepSeek", "AI"],
      ["https://grok.com/", "Grok", "AI"],
      ["https://chat.mistral.ai/", "Mistral", "AI"],
      ["https://www.meta.ai/", "Meta AI", "AI"],
    ]);
  });

  it("comes from a mail service, an ad network, or another site.", () => {
    expect(byReferrer, [
      ["https://mail.google.com/", "Gmail", "Email"],
      ["https://outlook.live.com/", "Outlook.com", "Email"],
      ["https://webmail.example.org/", "webmail.example.org", "Email"],
      ["https://ad.doubleclick.net/", "Doubleclick", "Display"],
      ["https://www.taboola.com/", "Taboola", "Display"],
      ["https://www.Partner.example/a?b", "partner.example", "Referral"],
      ["http://203.0.113.7:8080/", "203.0.113.7", "Referral"],
    ]);
  });

  it("comes from a webmail or a redirector of it, also on a host that no list has.", () => {
    expect(byReferrer, [
      ["https://lightmailer.mail.com/", "Mail.com", "Email"],
      ["https://deref-mail.com/mail/client/x", "Mail.com", "Email"],
      ["https://3c-bap.web.de/", "Web.de", "Email"],
      ["https://lightmailer-bs.gmx.ch/", "GMX", "Email"],
      ["https://messageriepro3.orange.fr/", "Orange Webmail", "Email"],
      ["https://deref-posteo.example/", "deref-posteo.example", "Email"],
      ["https://link.mail.example.com/x", "link.mail.example.com", "Email"],
      ["https://upcmail.hispeed.ch/", "UPC Mail", "Email"],
      ["https://www.dailymail.co.uk/", "dailymail.co.uk", "Referral"],
      ["https://www.gmx.net/", "gmx.net", "Referral"],
    ]);
  });

  it("comes from a server of the Fediverse, an app by its maker, or an assistant at a path.", () => {
    expect(byReferrer, [
      ["https://hachyderm.io/@ann/1", "Mastodon", "Organic Social"],
      ["https://ro-mastodon.puyo.jp/", "Mastodon", "Organic Social"],
      ["https://toot.community/", "Mastodon", "Organic Social"],
      ["https://chaos.social/", "chaos.social", "Organic Social"],
      ["https://lemmy.example.org/", "lemmy.example.org", "Organic Social"],
      ["https://www.douyin.com/", "Douyin", "Organic Social"],
      ["android-app://org.telegram.plus/", "Telegram", "Organic Social"],
      ["android-app://com.facebook.pages.app/", "Facebook", "Organic Social"],
      ["android-app://com.example.facebook/", "com.example.facebook", "Referral"],
      ["https://m365.cloud.microsoft/chat", "Microsoft Copilot", "AI"],
      ["https://x.com/i/grok", "Grok", "AI"],
      ["https://x.com/i/lists", "Twitter", "Organic Social"],
      ["https://mastodonrocks.example/", "mastodonrocks.example", "Referral"],
    ]);
    expect(byQuery, [
      ["utm_source=copilot.com", "Microsoft Copilot", "AI"],
      ["utm_source=google&utm_medium=cpc", "Google", "Paid Search"],
      ["utm_source=naver&utm_medium=organic", "Naver", "Organic Search"],
    ]);
  });

  it("comes from a company when it is not its search engine that links.", () => {
    expect(byReferrer, [
      ["https://docs.google.com/", "Google", "Referral"],
      ["https://google.github.io/", "google.github.io", "Referral"],
      ["https://mygoogle.com/", "mygoogle.com", "Referral"],
    ]);
  });
});

describe("Pages of the site itself", () => {
  const own = (referrer: string, pageHost: string, allowedOrigins: string[] = []) =>
    classify({ referrer, pageHost, allowedOrigins });

  it("are not referrers, with and without www and on every subdomain.", () => {
    for (const [referrer, pageHost] of [
      ["https://www.shop.example/a", "shop.example"],
      ["https://shop.example/a", "www.shop.example"],
      ["https://blog.shop.co.uk/", "checkout.shop.co.uk"],
      ["http://localhost:3000/", "localhost"],
      ["https://www.google.com/maps", "about.google.com"],
    ] as const)
      assert.deepEqual(own(referrer, pageHost), [null, "Direct"], referrer);
  });

  it("are those of the allowed origins too.", () => {
    const allowed = ["https://shop.example", "https://*.other.example", "http://localhost:*", "*"];
    for (const host of ["www.other.example", "a.b.other.example", "other.example", "localhost:81"])
      assert.deepEqual(own(`https://${host}/`, "shop.example", allowed), [null, "Direct"], host);
    assert.equal(own("https://third.example/", "shop.example", allowed)[0], "third.example");
  });

  it("are not those of neighbours under a public suffix.", () => {
    assert.deepEqual(own("https://b.co.uk/", "a.co.uk"), ["b.co.uk", "Referral"]);
    assert.deepEqual(own("https://b.github.io/", "a.github.io"), ["b.github.io", "Referral"]);
    assert.deepEqual(own("https://b.github.io/", "x.example", ["https://a.github.io"])[0], "b.github.io");
  });

  it("do not hide a campaign, and are not a source when a link names them.", () => {
    const referrer = "https://www.shop.example/";
    assert.deepEqual(classify({ referrer, query: "utm_source=bing&utm_medium=cpc" }), [
      "Bing",
      "Paid Search",
    ]);
    assert.deepEqual(classify({ query: "ref=www.shop.example" }), [null, "Direct"]);
  });
});

describe("A campaign, by the definitions of Google Analytics 4", () => {
  it("has the channel that its source, medium and name say.", () => {
    expect(byQuery, [
      ["utm_source=(direct)&utm_medium=(none)", null, "Direct"],
      ["utm_source=google&utm_medium=cpc&utm_campaign=cross-network", "Google", "Cross-network"],
      ["utm_source=amazon&utm_medium=cpc", "Amazon", "Paid Shopping"],
      ["utm_source=x1&utm_medium=retargeting&utm_campaign=shopping", "x1", "Paid Shopping"],
      ["utm_source=x1&utm_medium=cpc&utm_campaign=my-shop", "x1", "Paid Shopping"],
      ["utm_source=x1&utm_medium=cpc&utm_campaign=workshop", "x1", "Paid Other"],
      ["utm_source=x1&utm_medium=cpc&utm_campaign=eshop", "x1", "Paid Shopping"],
      ["utm_source=google&utm_medium=ppc", "Google", "Paid Search"],
      ["utm_source=bing&utm_medium=paidsearch", "Bing", "Paid Search"],
      ["utm_source=facebook&utm_medium=paid_social", "Facebook", "Paid Social"],
      ["utm_source=ig&utm_medium=cpm", "Instagram", "Paid Social"],
      ["utm_source=youtube&utm_medium=cpv", "YouTube", "Paid Video"],
      ["utm_source=youtube&utm_medium=cpc", "YouTube", "Paid Video"],
      ["utm_source=x1&utm_medium=banner", "x1", "Display"],
      ["utm_source=x1&utm_medium=cpm", "x1", "Display"],
      ["utm_source=x1&utm_medium=display", "x1", "Display"],
      ["utm_source=x1&utm_medium=cpc", "x1", "Paid Other"],
      ["utm_source=ebay&utm_medium=referral", "eBay", "Organic Shopping"],
      ["utm_source=x1&utm_medium=feed&utm_campaign=shopping", "x1", "Organic Shopping"],
      ["utm_source=x1&utm_medium=social", "x1", "Organic Social"],
      ["utm_source=x1&utm_medium=social%20media", "x1", "Organic Social"],
      ["utm_source=linkedin&utm_medium=post", "LinkedIn", "Organic Social"],
      ["utm_source=x1&utm_medium=video", "x1", "Organic Video"],
      ["utm_source=x1&utm_medium=organic", "x1", "Organic Search"],
      ["utm_source=google&utm_medium=organic", "Google", "Organic Search"],
      ["utm_source=x1&utm_medium=email", "x1", "Email"],
      ["utm_source=x1&utm_medium=e-mail", "x1", "Email"],
      ["utm_source=email&utm_medium=x", "email", "Email"],
      ["utm_source=x1&utm_medium=newsletter", "x1", "Email"],
      ["utm_source=x1&utm_medium=affiliate", "x1", "Affiliates"],
      ["utm_source=x1&utm_medium=referral", "x1", "Referral"],
      ["utm_source=x1&utm_medium=app", "x1", "Referral"],
      ["utm_source=x1&utm_medium=audio", "x1", "Audio"],
      ["utm_source=x1&utm_medium=sms", "x1", "SMS"],
      ["utm_source=sms&utm_medium=x", "sms", "SMS"],
      ["utm_source=x1&utm_medium=web-push", "x1", "Mobile Push Notifications"],
      ["utm_source=x1&utm_medium=mobile", "x1", "Mobile Push Notifications"],
      ["utm_source=firebase&utm_medium=x", "firebase", "Mobile Push Notifications"],
      ["utm_source=x1&utm_medium=qr", "x1", "Unassigned"],
    ]);
  });

  it("counts in any case, under Matomo's names, and wins over the referrer.", () => {
    expect(
      (query) => ({ query, referrer: "https://www.bing.com/" }),
      [
        ["UTM_SOURCE=Google&UTM_MEDIUM=CPC", "Google", "Paid Search"],
        ["mtm_source=facebook.com&mtm_medium=Paid", "Facebook", "Paid Social"],
        ["pk_campaign=spring", "Bing", "Organic Search"],
        ["utm_medium=email", "Bing", "Organic Search"],
      ],
    );
    assert.deepEqual(classify({ query: "utm_medium=email" }), [null, "Email"]);
  });

  it("of an AI assistant is AI, and paid when the medium says so.", () => {
    expect(byQuery, [
      ["utm_source=chatgpt.com", "ChatGPT", "AI"],
      ["utm_source=openai", "ChatGPT", "AI"],
      ["utm_source=perplexity&utm_medium=referral", "Perplexity", "AI"],
      ["utm_source=chatgpt.com&utm_medium=cpc", "ChatGPT", "Paid Other"],
    ]);
  });

  it("can be named by ref and source, by name or host; an unknown name stays as it is.", () => {
    expect(byQuery, [
      ["ref=producthunt", "Product Hunt", "Organic Social"],
      ["source=twitter", "Twitter", "Organic Social"],
      ["ref=https://www.reddit.com/r/x", "Reddit", "Organic Social"],
      ["ref=hacker-news", "Hacker News", "Organic Social"],
      ["ref=Partner%20A", "Partner A", "Referral"],
      ["source=b&utm_source=google", "Google", "Organic Search"],
    ]);
  });
});

describe("A click id", () => {
  it("says which network links, and whether the click is paid.", () => {
    const expected: Record<(typeof CLICK_IDS)[number], [string, string]> = {
      gclid: ["Google", "Paid Search"],
      gbraid: ["Google", "Paid Search"],
      wbraid: ["Google", "Paid Search"],
      gad_source: ["Google", "Paid Search"],
      gad_campaignid: ["Google", "Paid Search"],
      dclid: ["Google", "Display"],
      srsltid: ["Google", "Organic Shopping"],
      fbclid: ["Facebook", "Organic Social"],
      msclkid: ["Bing", "Paid Search"],
      ttclid: ["TikTok", "Paid Social"],
      twclid: ["Twitter", "Paid Social"],
      li_fat_id: ["LinkedIn", "Paid Social"],
      rdt_cid: ["Reddit", "Paid Social"],
      epik: ["Pinterest", "Organic Social"],
      sccid: ["Snapchat", "Paid Social"],
      yclid: ["Yandex", "Paid Search"],
      mc_cid: ["Mailchimp", "Email"],
      irclickid: ["Impact", "Affiliates"],
    };
    for (const name of CLICK_IDS) {
      assert.deepEqual(classify({ query: `${name}=a` }), expected[name], name);
      assert.deepEqual(classify({ query: `${name.toUpperCase()}=a` }), expected[name], name);
    }
  });

  it("leaves the name to a referrer of the same network.", () => {
    const visit = (referrer: string, query: string) => classify({ referrer, query });
    assert.deepEqual(visit("https://l.instagram.com/", "fbclid=a"), ["Instagram", "Organic Social"]);
    assert.deepEqual(visit("https://www.youtube.com/", "gclid=a"), ["YouTube", "Paid Video"]);
    assert.deepEqual(visit("https://duckduckgo.com/", "msclkid=a"), ["DuckDuckGo", "Paid Search"]);
    assert.deepEqual(visit("https://www.facebook.com/", "gclid=a"), ["Google", "Paid Search"]);
  });

  it("proves an ad beside UTM fields that do not say so.", () => {
    expect(byQuery, [
      ["utm_source=facebook&utm_medium=social&fbclid=a", "Facebook", "Organic Social"],
      ["utm_source=tiktok&utm_medium=social&ttclid=a", "TikTok", "Paid Social"],
      ["utm_source=brand&gclid=a", "brand", "Paid Search"],
      ["utm_source=google&utm_medium=display&gclid=a", "Google", "Display"],
      ["utm_campaign=Summer-Shopping&gclid=a", "Google", "Paid Shopping"],
    ]);
  });
});

describe("The rules of a source", () => {
  const rules: ChannelRule[] = [
    { field: "referrer", pattern: "*.partner.example", source: "Partner", channel: "Affiliates" },
    { field: "source", pattern: "google", source: null, channel: "Display" },
    { field: "medium", pattern: "QR*", source: null, channel: "Referral" },
    { field: "campaign", pattern: "*", source: "Promotion", channel: null },
  ];

  it("win over the lists, and the first one that matches counts.", () => {
    const visit = (one: ExampleVisit) => classify({ ...one, rules });
    assert.deepEqual(visit({ referrer: "https://a.partner.example/" }), ["Partner", "Affiliates"]);
    assert.deepEqual(visit({ referrer: "https://www.google.de/" }), ["Google", "Display"]);
    assert.deepEqual(visit({ query: "utm_source=poster&utm_medium=qr-code" }), ["poster", "Referral"]);
    assert.deepEqual(visit({ referrer: "https://www.bing.com/" }), ["Bing", "Organic Search"]);
    assert.deepEqual(visit({ referrer: "https://www.bing.com/", query: "utm_campaign=a" })[0], "Promotion");
    assert.deepEqual(visit({}), [null, "Direct"]);
  });
});

describe("Any input at all", () => {
  const parameter = fc.tuple(
    fc.constantFrom("utm_source", "UTM_MEDIUM", "utm_campaign", "ref", "source", ...CLICK_IDS),
    fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 20 }),
      fc.constantFrom("google", "cpc", "a.b", "*"),
      fc.webUrl(),
    ),
  );
  const referrer = fc.oneof(
    fc.webUrl({ withQueryParameters: true }),
    fc.string(),
    fc.domain().map((host) => `android-app://${host}/`),
    fc.string({ maxLength: 4_000, minLength: 300 }).map((text) => `https://${text}`),
    fc
      .array(fc.constantFrom("a", "google", "search", "co", "uk", "*"), { maxLength: 100 })
      .map((labels) => `https://${labels.join(".")}/x/y`),
  );

  it("gets a channel of the list and a source of bounded length, always the same.", () => {
    fc.assert(
      fc.property(
        fc.option(referrer),
        fc.array(parameter, { maxLength: 5 }),
        fc.option(fc.oneof(fc.domain(), fc.string())),
        (from, parameters, pageHost) => {
          const visit = { referrer: from, query: new URLSearchParams(parameters).toString(), pageHost };
          const [source, channel] = classify(visit);
          assert.ok(CHANNELS.some((one) => one === channel));
          assert.ok(
            source === null || (typeof source === "string" && source.length > 0 && source.length <= 253),
          );
          assert.ok(source === null || source?.isWellFormed());
          assert.deepEqual(classify(visit), [source, channel]);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
