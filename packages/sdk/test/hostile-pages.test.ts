/** Pages that replace built-ins, hide members of the document or restrict scripts: they are counted like any other page. */
import assert from "node:assert/strict";
import { type BrowserVisit, browserTest, untilInPage, waitForEarlierRequests } from "./browser.ts";
import { bundlePackage, bundleReactApp } from "./react-app.ts";

const nameOf = ({ ingest }: BrowserVisit) => ingest.events().map((event) => event.name ?? event.page?.path);
const arrives = ({ ingest }: BrowserVisit, name: string) =>
  ingest.until(() => ingest.events().find((event) => event.name === name));

/** The built-ins that Prototype 1.6 adds and replaces, as far as they differ from those of the language. */
function actAsPrototype(): void {
  const extend = (target: object, members: object) => Object.assign(target, members);
  extend(Array.prototype, {
    toJSON(this: unknown[]) {
      return `[${[...this].map((item) => JSON.stringify(item)).join(", ")}]`;
    },
    reduce(this: unknown[]) {
      return this.length > 1 ? this : this[0];
    },
    entries(this: unknown[]) {
      return [...this];
    },
    each: Array.prototype.forEach,
    without: Array.prototype.filter,
  });
  extend(Array, { from: (list: ArrayLike<unknown>) => (list.length ? [...(list as unknown[])] : []) });
  extend(String.prototype, {
    toJSON(this: string) {
      return `"${this}"`;
    },
  });
  extend(Number.prototype, {
    toJSON(this: number) {
      return this.toString();
    },
  });
}

/** MooTools 1.2 gives every native type methods of its own, and `Object.prototype` is extended by other scripts. */
function actAsMooTools(): void {
  for (const type of [Array, String, Number, Function, Date, RegExp])
    for (const name of ["each", "clean", "contains", "include", "link", "pass", "from", "toJSON"])
      if (!(name in type.prototype) && (name !== "toJSON" || type === Array))
        Object.assign(type.prototype, { [name]: () => "not the client's" });
  Object.assign(Object.prototype, { extend: () => undefined, clone: () => undefined, length_: 7 });
}

const WORLDS = {
  "Prototype 1.6": actAsPrototype,
  MooTools: actAsMooTools,
  "a frozen history": () => void Object.freeze(history),
} as const;

for (const [title, change] of Object.entries(WORLDS)) {
  browserTest(`A page with ${title} is counted, with its properties and navigations.`, async (visit) => {
    const { page, ingest, open } = visit;
    await page.addInitScript(change);
    await open("/start");
    const properties = { list: [1, ["a", {}]], none: [], nested: { list: [true, null] } };
    await visit.track("first", properties);
    await page.evaluate(() => history.pushState(null, "", "/next"));
    await visit.track("last");
    await arrives(visit, "last");
    assert.deepEqual(nameOf(visit), ["/start", "first", "/next", "last"]);
    assert.deepEqual(ingest.events()[1]?.properties, properties);
    assert.ok(ingest.requests.every(({ body }) => Array.isArray(body.events)));
  });
}

browserTest("The package counts a page with a frozen history too.", async (visit) => {
  const { page, site, ingest, install } = visit;
  await page.addInitScript(() => void Object.freeze(history));
  site.showHead(
    `<script type="module">${await bundlePackage({ publicKey: install.publicKey, apiBaseUrl: ingest.url })}</script>`,
  );
  await page.goto(`${site.url}/start`);
  await arrives(visit, "from the package");
  assert.deepEqual(nameOf(visit), ["/start", "from the package"]);
});

const HIDDEN = [
  "title referrer querySelector querySelectorAll cookie location URL documentURI baseURI domain body head scripts",
  "documentElement visibilityState hidden prerendering createElement getElementById addEventListener currentScript",
  "defaultView hasFocus readyState implementation activeElement append appendChild nodeType constructor forms all",
]
  .join(" ")
  .split(" ");

const ELEMENTS: Record<string, (name: string) => string> = {
  forms: (name) => `<form name="${name}"></form>`,
  "two forms": (name) => `<form name="${name}"></form><form name="${name}"></form>`,
  images: (name) => `<img name="${name}" alt="">`,
  frames: (name) => `<iframe name="${name}"></iframe>`,
};

for (const [title, render] of Object.entries(ELEMENTS)) {
  browserTest(`Members of the document that are hidden by ${title} do not matter.`, async (visit) => {
    const { page, site, ingest, install } = visit;
    await page.addInitScript(() => {
      const { now } = performance;
      performance.now = () => now.call(performance) + 5_000;
    });
    const snippet = install.browserSnippet.replace(
      "  script.onerror",
      '  script.dataset.extras = "engagement forms outbound-links web-vitals";\n  script.onerror',
    );
    site.showHead(`${HIDDEN.map(render).join("")}<form id="own"><input name="getAttribute"></form>
      <a id="out" href="https://elsewhere.example/">out</a>${snippet}`);
    await page.goto(`${site.url}/start`);
    await untilInPage(page, "window.headwaterExtras && headwaterExtras.size === 4");
    await page.evaluate(() => {
      addEventListener("click", (event) => event.preventDefault());
      (window as unknown as { out: HTMLElement }).out.click();
      const own = (window as unknown as { own: HTMLFormElement }).own;
      own.dispatchEvent(new Event("submit", { bubbles: true }));
      history.pushState(null, "", "/next");
    });
    await page.goto("about:blank");
    await arrives(visit, "web_vitals");
    await ingest.until(() => ingest.events().some(({ page }) => page?.path === "/next"));
    const [view] = ingest.events();
    assert.deepEqual([view?.page?.title, view?.page?.referrer], ["Home", null]);
    const names = nameOf(visit);
    for (const name of ["outbound_link", "form_submit", "/next", "web_vitals"])
      assert.ok(names.includes(name), `${name} is in ${names}`);
    assert.deepEqual(ingest.events().find(({ name }) => name === "form_submit")?.properties, {
      id: "own",
      path: "/start",
    });
  });
}

const TRUSTED_TYPES = "require-trusted-types-for 'script'; trusted-types headwater";

browserTest(
  "Under Trusted Types the snippet and its optional parts run, pasted twice too.",
  async (visit) => {
    const { page, site, install } = visit;
    site.sendHeaders({ "Content-Security-Policy": TRUSTED_TYPES });
    const snippet = install.browserSnippet.replace(
      "  script.onerror",
      '  script.dataset.extras = "forms";\n  script.onerror',
    );
    site.showHead(`${snippet}<form id="search" onsubmit="return false"></form>`);
    await visit.open("/start");
    await untilInPage(page, "window.headwaterExtras && headwaterExtras.size === 1");
    await page.evaluate(() => document.forms[0]?.dispatchEvent(new Event("submit", { bubbles: true })));
    await arrives(visit, "form_submit");
  },
);

browserTest("Under Trusted Types a module snippet runs.", async (visit) => {
  const { ingest, page, site, install } = visit;
  const app = await bundleReactApp(install.reactExample);
  site.sendHeaders({ "Content-Security-Policy": TRUSTED_TYPES });
  site.showHead(`<script defer src="data:text/javascript,${encodeURIComponent(app)}"></script>`);
  await page.goto(`${site.url}/start`);
  await ingest.until(() => ingest.events().some(({ name }) => name === "before the script"));
});

for (const policy of ["trusted-types other", "require-trusted-types-for 'script'; trusted-types 'none'"])
  browserTest(`Under "${policy}" the page's own handlers run.`, async ({ page, site, install }) => {
    site.sendHeaders({ "Content-Security-Policy": policy });
    site.showHead(`<script>addEventListener("error", (event) => event.preventDefault())</script>
      ${install.browserSnippet}<button onclick="headwater('track', 'clicked'); window.isDone = true">buy</button>`);
    page.removeAllListeners("pageerror");
    await page.goto(site.url);
    await page.evaluate(() => document.querySelector("button")?.click());
    assert.equal(await page.evaluate("window.isDone"), true);
  });

for (const [title, block] of Object.entries({
  "is blocked": "blockedbyclient",
  "is down": "connectionrefused",
} as const))
  browserTest(
    `While the script ${title}, the page's own handlers run, and no call throws.`,
    async (visit) => {
      const { ingest, page, site, install, warnings } = visit;
      await page.route(`${ingest.url}/**`, (route) => route.abort(block));
      site.showHead(`${install.browserSnippet}<script>headwater("track", "early")</script>
      <button onclick="headwater('track', 'clicked'); window.isDone = true">buy</button>`);
      await Promise.all([visit.nextWarning(), page.goto(site.url)]);
      await page.evaluate(() => document.querySelector("button")?.click());
      assert.equal(await page.evaluate("window.isDone"), true);
      assert.equal(warnings.length, 1);
    },
  );

browserTest(
  "A file of the site with the snippet's code does the same where inline scripts are forbidden.",
  async (visit) => {
    const { ingest, page, site, install } = visit;
    const code = /<script>(.*)<\/script>/s.exec(install.browserSnippet)?.[1] ?? "";
    await page.route("**/headwater.js", (route) =>
      route.fulfill({ contentType: "text/javascript", body: `${code}headwater("track", "early");` }),
    );
    site.sendHeaders({ "Content-Security-Policy": `script-src 'self' ${ingest.url}` });
    site.showHead('<script src="/headwater.js"></script>');
    await visit.open("/start");
    await waitForEarlierRequests(visit);
    assert.deepEqual(nameOf(visit), ["/start", "early"]);
  },
);
