/**
 * Reads the elements of a page that the checks look at, in document order. It builds no tree: a tokenizer reads the page once,
 * and only the current element is held. A foreign page decides neither the time (linear in its length) nor the memory.
 */
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";

export interface PageElement {
  readonly tagName: "script" | "meta" | "link" | "base";
  /** Null: the element has no such attribute. Values are cut at `MAX_VALUE_LENGTH`. */
  attribute(name: string): string | null;
  /** The text of a script. */
  readonly text: string;
}

/** Longer than the longest policy that is read, so that a cut one is recognized by its length. */
const MAX_VALUE_LENGTH = 65_537;

const READ_ATTRIBUTES = new Set([
  "src",
  "type",
  "nonce",
  "data-key",
  "data-api",
  "http-equiv",
  "content",
  "rel",
  "href",
]);
const MAX_NAME_LENGTH = 20;

/** HTML elements that end an open `<svg>` or `<math>`, those that pages have. */
const ENDS_FOREIGN_CONTENT =
  /^(?:b|blockquote|body|br|center|code|dd|div|dl|dt|em|h[1-6]|head|hr|i|img|li|meta|ol|p|pre|s|small|span|strong|sub|sup|table|u|ul)$/;
const isRead = (tag: string): tag is PageElement["tagName"] =>
  tag === "script" || tag === "meta" || tag === "link" || tag === "base";

class CurrentElement implements PageElement {
  readonly tagName: PageElement["tagName"];
  readonly #values = new Map<string, string>();
  text = "";
  constructor(tagName: PageElement["tagName"]) {
    this.tagName = tagName;
  }
  /** Keeps the first of two attributes with the same name. */
  setOnce(name: string, value: string): void {
    if (!this.#values.has(name)) this.#values.set(name, value);
  }
  attribute(name: string): string | null {
    return this.#values.get(name) ?? null;
  }
}

/** The callbacks of the tokenizer. Elements in `<template>` and `<noscript>` do not run, so they are left out. */
class ElementReader implements TokenizerCallbacks {
  readonly #html: string;
  readonly #onElement: (element: PageElement) => void;
  #tag = "";
  #element: CurrentElement | null = null;
  #attribute = "";
  #value = "";
  #isInNoscript = false;
  #templates = 0;
  #foreign = 0;

  constructor(html: string, onElement: (element: PageElement) => void) {
    this.#html = html;
    this.#onElement = onElement;
  }

  isInForeignContext(): boolean {
    return this.#foreign > 0;
  }

  #nameAt(start: number, end: number): string {
    return this.#html.slice(start, Math.min(end, start + MAX_NAME_LENGTH + 1)).toLowerCase();
  }

  onopentagname(start: number, end: number): void {
    this.#finish();
    this.#tag = this.#nameAt(start, end);
    const isHidden = this.#isInNoscript || this.#templates > 0;
    if (!isHidden && isRead(this.#tag)) this.#element = new CurrentElement(this.#tag);
  }

  onattribname(start: number, end: number): void {
    const name = this.#element ? this.#nameAt(start, end) : "";
    this.#attribute = READ_ATTRIBUTES.has(name) ? name : "";
    this.#value = "";
  }

  #addToValue(text: string): void {
    if (this.#attribute !== "" && this.#value.length < MAX_VALUE_LENGTH) this.#value += text;
  }

  onattribdata(start: number, end: number): void {
    this.#addToValue(this.#html.slice(start, Math.min(end, start + MAX_VALUE_LENGTH)));
  }

  onattribentity(codePoint: number): void {
    this.#addToValue(String.fromCodePoint(codePoint));
  }

  onattribend(): void {
    if (this.#attribute === "") return;
    this.#element?.setOnce(this.#attribute, this.#value.slice(0, MAX_VALUE_LENGTH));
    this.#attribute = "";
  }

  onopentagend(): void {
    if (this.#tag === "template") this.#templates += 1;
    if (this.#tag === "noscript") this.#isInNoscript = true;
    if (this.#tag === "svg" || this.#tag === "math") this.#foreign += 1;
    if (ENDS_FOREIGN_CONTENT.test(this.#tag)) this.#foreign = 0;
    // only a script has text
    if (this.#tag !== "script") this.#finish();
  }

  /** HTML ignores the slash; only within SVG and MathML the element has ended. */
  onselfclosingtag(): void {
    if (this.isInForeignContext()) this.#finish();
    else if (this.#tag !== "svg" && this.#tag !== "math") this.onopentagend();
  }

  ontext(start: number, end: number): void {
    if (this.#element) this.#element.text += this.#html.slice(start, end);
  }

  onclosetag(start: number, end: number): void {
    this.#finish();
    const tag = this.#nameAt(start, end);
    if (tag === "template") this.#templates = Math.max(0, this.#templates - 1);
    if (tag === "noscript") this.#isInNoscript = false;
    if (tag === "svg" || tag === "math") this.#foreign = Math.max(0, this.#foreign - 1);
  }

  #finish(): void {
    const element = this.#element;
    this.#element = null;
    if (element) this.#onElement(element);
  }

  // what is not closed at the end of the page is left out: such a script does not run
  onend(): void {}
  ontextentity(): void {}
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
}

/** Calls back with each `script`, `meta`, `link` and `base` of a page. */
export function readElements(html: string, onElement: (element: PageElement) => void): void {
  const tokenizer = new Tokenizer({}, new ElementReader(html, onElement));
  tokenizer.write(html);
  tokenizer.end();
}
