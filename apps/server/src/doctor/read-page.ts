/** What an HTML page says of the install in it: snippets, policies, and the scripts that may hold the client. Pure. */

import { createHash } from "node:crypto";
import { LIMITS, type PageSnippet } from "@headwater/contract";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { SERVER_LIMITS } from "../core/limits.ts";
import { MAX_POLICY_LENGTH } from "./policy.ts";

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

export interface Page {
  readonly snippets: PageSnippet[];
  /** Of `<meta http-equiv>`, each whole. */
  readonly policies: string[];
  /** There are more than are looked at, or longer ones. */
  readonly isPolicyLeftOut: boolean;
  /** Other files of scripts, as absolute addresses. */
  readonly scripts: string[];
}

const ATTRIBUTE_LENGTH = 8_192;
const CLIENT = /\/sdk\/v2\.js(?:[?#]|$)/;

/** In the order of the document. No recursion: a page may nest as deep as it is long. */
function elementsOf(root: Node): Element[] {
  const found: Element[] = [];
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if ("tagName" in node) found.push(node);
    // what is in a <template> does not run; its content is no child
    if ("childNodes" in node) for (const child of node.childNodes.toReversed()) waiting.push(child);
  }
  return found;
}

const wholeAttribute = ({ attrs }: Element, name: string): string | null =>
  attrs.find((one) => one.name === name)?.value ?? null;
/** Cut, so that nothing that is made of it takes longer than it should. */
const attribute = (element: Element, name: string): string | null =>
  wholeAttribute(element, name)?.slice(0, ATTRIBUTE_LENGTH) ?? null;
const textOf = ({ childNodes }: Element): string =>
  childNodes.map((node) => ("value" in node ? node.value : "")).join("");

/** What a string literal says, whatever its quotes; JSON's escapes are the ones that our snippets use. */
function textIn(content: string): string | null {
  try {
    return JSON.parse(`"${content.replace(/\\(['`$])/g, "$1")}"`) as string;
  } catch {
    return null;
  }
}

/** The value beside a name in code or in JSON: `"data-key":"pk_…"`, `dataset.key = "pk_…"`. */
function valueBeside(code: string, names: string): string | null {
  const [, , content] = new RegExp(`(?:${names})["']?\\s*[:=,]\\s*(["'\`])([^"'\`\\n]*)\\1`).exec(code) ?? [];
  return content === undefined ? null : textIn(content);
}

/** As far around the script's address, or the key, as what belongs to it may stand. */
const NEAR = 4_096;
const ADDRESS = /(["'`])([^"'`\n]*\/sdk\/v2\.js(?:[?#][^"'`\n]*)?)\1/;
/** As the service makes them; not one of Stripe's. */
const KEY = /(["'`])(pk_(?!live_|test_)[\w-]{20,100})\1/;

const around = (code: string, at: number): string => code.slice(Math.max(0, at - NEAR), at + NEAR);

type Found = Pick<PageSnippet, "scriptUrl" | "publicKey" | "apiBaseUrl">;
const apiBeside = (code: string) => valueBeside(code, "data-api|dataset\\.api|apiBaseUrl");

/** Code that loads the client from the service. */
function loadingCode(code: string): Found | null {
  const at = code.indexOf("/sdk/v2.js");
  const near = at === -1 ? "" : around(code, at);
  const address = ADDRESS.exec(near)?.[2];
  if (address === undefined) return null;
  const publicKey = valueBeside(near, "data-key|dataset\\.key");
  return { scriptUrl: textIn(address), publicKey, apiBaseUrl: apiBeside(near) };
}

/** Code that holds the client. */
function holdingCode(code: string): Found | null {
  const key = KEY.exec(code);
  return key && { scriptUrl: null, publicKey: key[2]!, apiBaseUrl: apiBeside(around(code, key.index)) };
}

/** JSON within JSON, as frameworks stream pages, has one more backslash. */
function snippetInCode(text: string): Found | null {
  const code = text.includes('\\"') ? text.replaceAll('\\"', '"') : text;
  return loadingCode(code) ?? holdingCode(code);
}

/** The client in an application's own script: pasted as a component, or built in. */
export function snippetInScript(code: string): PageSnippet | null {
  const found = snippetInCode(code);
  return found && { kind: "bundle", ...found, nonce: null, hash: null };
}

function snippetOf(script: Element): PageSnippet | null {
  const src = attribute(script, "src");
  const nonce = attribute(script, "nonce");
  if (src !== null) {
    if (!CLIENT.test(src)) return null;
    const publicKey = attribute(script, "data-key");
    return {
      kind: "tag",
      scriptUrl: src,
      publicKey,
      apiBaseUrl: attribute(script, "data-api"),
      nonce,
      hash: null,
    };
  }
  const text = textOf(script);
  // a page's own code may hold a key for reasons of its own; the pasted snippet loads the client
  const found = text.includes("__next_f") ? snippetInCode(text) : loadingCode(text);
  // a page that Next.js streams: its data names the client, the application's scripts load it
  if (text.includes("__next_f")) return found && { kind: "bundle", ...found, nonce: null, hash: null };
  const hash = `sha256-${createHash("sha256").update(text).digest("base64")}`;
  return found && { kind: "inline", ...found, nonce, hash };
}

/** What is streamed may be streamed twice; what is pasted twice runs twice. */
function withoutEchoes(snippets: readonly PageSnippet[]): PageSnippet[] {
  const seen = new Set<string | null>();
  return snippets.filter(({ kind, publicKey }) => {
    const isEcho = kind === "bundle" && seen.has(publicKey);
    seen.add(publicKey);
    return !isEcho;
  });
}

const RUNS = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i;
const runs = (script: Element): boolean => RUNS.test(attribute(script, "type")?.trim() ?? "");

function isPolicy(meta: Element): boolean {
  return attribute(meta, "http-equiv")?.trim().toLowerCase() === "content-security-policy";
}

/** @param url where the page came from, for addresses within it */
export function readPage(html: string, url: string): Page {
  const all = elementsOf(parse(html));
  const scripts = all.filter((one) => one.tagName === "script" && runs(one));
  const snippets = withoutEchoes(scripts.map(snippetOf).filter((one) => one !== null));
  const policies = all
    .filter((one) => one.tagName === "meta" && isPolicy(one))
    .map((one) => wholeAttribute(one, "content") ?? "");
  const whole = policies
    .filter(({ length }) => length <= MAX_POLICY_LENGTH)
    .slice(0, LIMITS.maxReportedPolicies);
  const files = scripts
    .map((one) => attribute(one, "src"))
    .filter((src) => src !== null && !CLIENT.test(src));
  const preloaded = all
    .filter((one) => one.tagName === "link" && attribute(one, "rel")?.toLowerCase() === "modulepreload")
    .map((one) => attribute(one, "href"));
  const base = all.find((one) => one.tagName === "base" && attribute(one, "href") !== null);
  const against = URL.parse((base && attribute(base, "href")) ?? "", url)?.href ?? url;
  const addresses = [...files, ...preloaded].flatMap((src) => URL.parse(src ?? "", against)?.href ?? []);
  return {
    snippets: snippets.slice(0, LIMITS.maxReportedSnippets),
    policies: whole,
    isPolicyLeftOut: whole.length < policies.length,
    scripts: [...new Set(addresses)].slice(0, SERVER_LIMITS.doctorScripts),
  };
}
