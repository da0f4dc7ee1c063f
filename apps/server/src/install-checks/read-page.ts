/** Finds the snippets, the policies and the script files in the HTML of a page. Pure. */
import { createHash } from "node:crypto";
import type { PageSnippet } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { MAX_POLICY_LENGTH } from "./policy.ts";
import { type PageElement, readElements } from "./read-elements.ts";

/** Scripts that are searched when the page itself does not contain the snippet. */
const DOCTOR_SCRIPTS = 30;

interface PageContent {
  readonly snippets: PageSnippet[];
  /** The policies of `<meta http-equiv>`. */
  readonly policies: string[];
  /** There are more policies than are read, or longer ones. */
  readonly hasUnreadPolicy: boolean;
  /** Other script files that the page loads, as absolute addresses. */
  readonly scripts: string[];
}

const MAX_ATTRIBUTE_LENGTH = 8_192;
const CLIENT_SCRIPT = /\/sdk\/v2\.js(?:[?#]|$)/;

/** The start of the attribute, so that work on it has a bound. */
const attribute = (element: PageElement, name: string): string | null =>
  element.attribute(name)?.slice(0, MAX_ATTRIBUTE_LENGTH) ?? null;

/** @param content the characters between the quotes of a string literal; our snippets use the escapes of JSON */
function parseLiteral(content: string): string | null {
  try {
    const value: unknown = JSON.parse(`"${content.replace(/\\(['`$])/g, "$1")}"`);
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
}

/** The string that a name is set to in code or JSON: `"data-key":"pk_…"`, `dataset.key = "pk_…"`, `("data-key", "pk_…")`. */
function findSetting(code: string, names: string): string | null {
  const [, , content] =
    new RegExp(`(?:${names})["'\`]?\\s*[:=,]\\s*(["'\`])([^"'\`\\n]*)\\1`).exec(code) ?? [];
  return content === undefined ? null : parseLiteral(content);
}

/** Settings of the client are searched within this many characters around its address or key. */
const NEARBY_CHARACTERS = 4_096;
const CLIENT_URL = /(["'`])([^"'`\n]*\/sdk\/v2\.js(?:[?#][^"'`\n]*)?)\1/;
/** A public key of Headwater; keys of Stripe begin with pk_live_ or pk_test_. */
const PUBLIC_KEY = /(\\?["'`])(pk_(?!live_|test_)[\w-]{20,100})\1/;

/** Frameworks stream code in JSON within JSON, in which quotes have backslashes. */
const textAround = (code: string, at: number): string =>
  code.slice(Math.max(0, at - NEARBY_CHARACTERS), at + NEARBY_CHARACTERS).replaceAll(/\\{1,7}"/g, '"');

type SnippetSettings = Pick<PageSnippet, "scriptUrl" | "publicKey" | "apiBaseUrl">;
const findApiBaseUrl = (code: string) => findSetting(code, "data-api|dataset\\.api|apiBaseUrl");

/** Code that loads the client's script. */
function findLoadingCode(code: string): SnippetSettings | null {
  const at = code.indexOf("/sdk/v2.js");
  const nearby = at === -1 ? "" : textAround(code, at);
  const scriptUrl = CLIENT_URL.exec(nearby)?.[2];
  if (scriptUrl === undefined) return null;
  return {
    scriptUrl: parseLiteral(scriptUrl),
    publicKey: findSetting(nearby, "data-key|dataset\\.key"),
    apiBaseUrl: findApiBaseUrl(nearby),
  };
}

/** Code that contains the client itself, from the npm package. */
function findBuiltInClient(code: string): SnippetSettings | null {
  const match = PUBLIC_KEY.exec(code);
  const publicKey = match?.[2];
  if (!match || publicKey === undefined) return null;
  return { scriptUrl: null, publicKey, apiBaseUrl: findApiBaseUrl(textAround(code, match.index)) };
}

/** Finds the client in a script file of the application, pasted as a component or built in. */
export function findSnippetInScript(code: string): PageSnippet | null {
  const settings = findLoadingCode(code) ?? findBuiltInClient(code);
  return settings && { kind: "bundle", ...settings, nonce: null, hash: null };
}

function readScript(script: PageElement): PageSnippet | null {
  const src = attribute(script, "src");
  const nonce = attribute(script, "nonce");
  if (src !== null) {
    const publicKey = attribute(script, "data-key");
    const apiBaseUrl = attribute(script, "data-api");
    return { kind: "tag", scriptUrl: src, publicKey, apiBaseUrl, nonce, hash: null };
  }
  const { text } = script;
  // Next.js streams data that names the client, and the application's scripts load it
  if (text.includes("__next_f")) return findSnippetInScript(text);
  // only loading code: the page's own code may contain a key for other reasons
  const settings = findLoadingCode(text);
  if (!settings) return null;
  const hash = `sha256-${createHash("sha256").update(text).digest("base64")}`;
  return { kind: "inline", ...settings, nonce, hash };
}

const JAVASCRIPT_TYPE = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i;
const isJavaScript = (script: PageElement): boolean =>
  JAVASCRIPT_TYPE.test(attribute(script, "type")?.trim() ?? "");

const isPolicy = (meta: PageElement): boolean =>
  attribute(meta, "http-equiv")?.trim().toLowerCase() === "content-security-policy";

/** Collects what a page contains. Each list has a bound, however many elements the page has. */
class PageReader {
  readonly snippets: PageSnippet[] = [];
  readonly policies: string[] = [];
  hasUnreadPolicy = false;
  readonly #url: string;
  #baseHref: string | null = null;
  readonly #files = new Set<string>();
  readonly #preloaded = new Set<string>();

  constructor(url: string) {
    this.#url = url;
  }

  readonly add = (element: PageElement): void => {
    if (element.tagName === "script") this.#addScript(element);
    else if (element.tagName === "link") this.#addLink(element);
    else if (element.tagName === "meta") this.#addPolicy(element);
    else this.#baseHref ??= attribute(element, "href");
  };

  #addScript(script: PageElement): void {
    if (!isJavaScript(script)) return;
    const src = attribute(script, "src");
    if (src === null || CLIENT_SCRIPT.test(src)) this.#addSnippet(script);
    else this.#addFile(this.#files, src);
  }

  #addSnippet(script: PageElement): void {
    if (this.snippets.length === LIMITS.maxReportedSnippets) return;
    const snippet = readScript(script);
    // a framework may stream the same data twice; a snippet that is pasted twice runs twice
    const isCopy =
      snippet?.kind === "bundle" && this.snippets.some(({ publicKey }) => publicKey === snippet.publicKey);
    if (snippet && !isCopy) this.snippets.push(snippet);
  }

  #addLink(link: PageElement): void {
    if (attribute(link, "rel")?.toLowerCase() !== "modulepreload") return;
    this.#addFile(this.#preloaded, attribute(link, "href") ?? "");
  }

  #addFile(files: Set<string>, address: string): void {
    if (files.size < DOCTOR_SCRIPTS) files.add(address);
  }

  #addPolicy(meta: PageElement): void {
    if (!isPolicy(meta)) return;
    const policy = meta.attribute("content") ?? "";
    const isRead = policy.length <= MAX_POLICY_LENGTH && this.policies.length < LIMITS.maxReportedPolicies;
    if (isRead) this.policies.push(policy);
    else this.hasUnreadPolicy = true;
  }

  scripts(): string[] {
    const baseUrl = URL.parse(this.#baseHref ?? "", this.#url)?.href ?? this.#url;
    const urls = [...this.#files, ...this.#preloaded].flatMap((src) => URL.parse(src, baseUrl)?.href ?? []);
    return [...new Set(urls)].slice(0, DOCTOR_SCRIPTS);
  }
}

/** @param url the address of the page */
export function readPage(html: string, url: string): PageContent {
  const page = new PageReader(url);
  readElements(html, page.add);
  const { snippets, policies, hasUnreadPolicy } = page;
  return { snippets, policies, hasUnreadPolicy, scripts: page.scripts() };
}
