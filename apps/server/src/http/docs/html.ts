/** Text as HTML. */
import { escapeText } from "../escape-html.ts";

/** Text with `code` in backquotes. */
export const renderProse = (text: string): string =>
  escapeText(text).replace(/`([^`]*)`/g, "<code>$1</code>");

/** Paragraphs and headings of the second level: all the Markdown that the contract's descriptions have. */
export const renderMarkdown = (text: string): string =>
  text
    .trim()
    .split(/\n\n+/)
    .map((block) =>
      block.startsWith("## ") ? `<h3>${renderProse(block.slice(3))}</h3>` : `<p>${renderProse(block)}</p>`,
    )
    .join("\n");

export const toId = (name: string): string => name.toLowerCase().replace(/\W+/g, "-");

export const renderJson = (value: unknown): string =>
  escapeText(typeof value === "string" ? value : JSON.stringify(value, null, 2));
