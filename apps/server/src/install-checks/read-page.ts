/** Finds the snippets, the policies and the script files in the HTML of a page. Pure. */
import { createHash } from "node:crypto";
import { LIMITS, type PageSnippet } from "@headwater/contract";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { SERVER_LIMITS } from "../core/limits.ts";
import { MAX_POLICY_LENGTH } from "./policy.ts";

type HtmlNode = DefaultTreeAdapterTypes.Node;
type HtmlElement = DefaultTreeAdapterTypes.Element;

export interface PageContent {
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

/** In document order. Not recursive, because a page may nest as deep as it is long. */
function listElements(root: HtmlNode): HtmlElement[] {
  const found: HtmlElement[] = [];
  const stack = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if ("tagName" in node) found.push(node);
    // the content of a <template> is not in childNodes, and does not run
    if ("childNodes" in node) for (const child of node.childNodes.toReversed()) stack.push(child);
  }
  return found;
}

const wholeAttribute = ({ attrs }: HtmlElement, name: string): string | null =>
  attrs.find((one) => one.name === name)?.value ?? null;
/** The start of the attribute, so that work on it has a bound. */
const attribute = (element: HtmlElement, name: string): string | null =>
  wholeAttribute(element, name)?.slice(0, MAX_ATTRIBUTE_LENGTH) ?? null;
const textOf = ({ childNodes }: HtmlElement): string =>
  childNodes.map((node) => ("value" in node ? node.value : "")).join("");

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
const PUBLIC_KEY = /(["'`])(pk_(?!live_|test_)[\w-]{20,100})\1/;

const textAround = (code: string, at: number): string =>
  code.slice(Math.max(0, at - NEARBY_CHARACTERS), at + NEARBY_CHARACTERS);

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

function findInCode(text: string): SnippetSettings | null {
  // frameworks stream JSON within JSON, in which quotes have a backslash
  const code = text.includes('\\"') ? text.replaceAll('\\"', '"') : text;
  return findLoadingCode(code) ?? findBuiltInClient(code);
}

/** Finds the client in a script file of the application, pasted as a component or built in. */
export function findSnippetInScript(code: string): PageSnippet | null {
  const settings = findInCode(code);
  return settings && { kind: "bundle", ...settings, nonce: null, hash: null };
}

function readScript(script: HtmlElement): PageSnippet | null {
  const src = attribute(script, "src");
  const nonce = attribute(script, "nonce");
  if (src !== null) {
    if (!CLIENT_SCRIPT.test(src)) return null;
    const publicKey = attribute(script, "data-key");
    const apiBaseUrl = attribute(script, "data-api");
    return { kind: "tag", scriptUrl: src, publicKey, apiBaseUrl, nonce, hash: null };
  }
  const text = textOf(script);
  // Next.js streams data that names the client, and the application's scripts load it
  if (text.includes("__next_f")) return findSnippetInScript(text);
  // only loading code: the page's own code may contain a key for other reasons
  const settings = findLoadingCode(text);
  const hash = `sha256-${createHash("sha256").update(text).digest("base64")}`;
  return settings && { kind: "inline", ...settings, nonce, hash };
}

/** A framework may stream the same data twice; a snippet that is pasted twice runs twice. */
function withoutStreamedCopies(snippets: readonly PageSnippet[]): PageSnippet[] {
  const seen = new Set<string | null>();
  return snippets.filter(({ kind, publicKey }) => {
    const isCopy = kind === "bundle" && seen.has(publicKey);
    seen.add(publicKey);
    return !isCopy;
  });
}

const JAVASCRIPT_TYPE = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i;
const isJavaScript = (script: HtmlElement): boolean =>
  JAVASCRIPT_TYPE.test(attribute(script, "type")?.trim() ?? "");

const isPolicy = (meta: HtmlElement): boolean =>
  attribute(meta, "http-equiv")?.trim().toLowerCase() === "content-security-policy";

function listScriptUrls(elements: readonly HtmlElement[], url: string): string[] {
  const withTag = (tag: string) => elements.filter(({ tagName }) => tagName === tag);
  const files = withTag("script")
    .filter(isJavaScript)
    .map((script) => attribute(script, "src"))
    .filter((src) => src !== null && !CLIENT_SCRIPT.test(src));
  const preloaded = withTag("link")
    .filter((link) => attribute(link, "rel")?.toLowerCase() === "modulepreload")
    .map((link) => attribute(link, "href"));
  const [baseHref] = withTag("base").flatMap((base) => attribute(base, "href") ?? []);
  const baseUrl = URL.parse(baseHref ?? "", url)?.href ?? url;
  const urls = [...files, ...preloaded].flatMap((src) => URL.parse(src ?? "", baseUrl)?.href ?? []);
  return [...new Set(urls)].slice(0, SERVER_LIMITS.doctorScripts);
}

/** @param url the address of the page */
export function readPage(html: string, url: string): PageContent {
  const elements = listElements(parse(html));
  const scripts = elements.filter((one) => one.tagName === "script" && isJavaScript(one));
  const snippets = withoutStreamedCopies(scripts.map(readScript).filter((one) => one !== null));
  const policies = elements
    .filter((one) => one.tagName === "meta" && isPolicy(one))
    .map((one) => wholeAttribute(one, "content") ?? "");
  const readable = policies
    .filter(({ length }) => length <= MAX_POLICY_LENGTH)
    .slice(0, LIMITS.maxReportedPolicies);
  return {
    snippets: snippets.slice(0, LIMITS.maxReportedSnippets),
    policies: readable,
    hasUnreadPolicy: readable.length < policies.length,
    scripts: listScriptUrls(elements, url),
  };
}
