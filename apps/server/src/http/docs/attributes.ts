/** Texts, and the members of a schema as a list: name, type, whether it is required, and description. */
import type { OpenApiParameter, OpenApiSchema } from "@headwater/contract";
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

const nameOfRef = (ref: string) => ref.split("/").at(-1) ?? "";
const linkTo = (ref: string) => `<a href="#object-${toId(nameOfRef(ref))}">${escapeText(nameOfRef(ref))}</a>`;

const isNull = ({ type }: OpenApiSchema) => type === "null";

/** A type in words, with links to the named objects. HTML. */
export function typeOf(schema: OpenApiSchema): string {
  const { $ref, type, items, anyOf, format } = schema;
  if ($ref) return linkTo($ref);
  if (anyOf) return anyOf.map((part) => (isNull(part) ? "null" : typeOf(part))).join(" or ");
  if ("const" in schema) return escapeText(JSON.stringify(schema.const));
  if (type === "array" && items) return `array of ${typeOf(items)}`;
  if (type === undefined) return "any";
  const names = [type].flat().map((name) => (name === "string" && format ? format : name));
  return escapeText(names.join(" or "));
}

/** The schema itself, or that of its elements: the one that has the values and the members. */
const innermost = (schema: OpenApiSchema): OpenApiSchema => {
  const inner = schema.items ?? schema.anyOf?.find((part) => !isNull(part));
  return inner ? innermost(inner) : schema;
};

const LIMITS: readonly [keyword: string, text: string][] = [
  ["minimum", "at least"],
  ["maximum", "at most"],
  ["maxLength", "characters at most"],
  ["maxItems", "elements at most"],
  ["default", "default"],
];

function renderLimits(schema: OpenApiSchema): string {
  const texts = LIMITS.flatMap(([keyword, text]) => {
    const value = schema[keyword];
    if (value === undefined || (keyword === "minimum" && value === 0)) return [];
    const shown = typeof value === "number" ? value.toLocaleString("en") : JSON.stringify(value);
    return text.endsWith("most") && text !== "at most" ? [`${shown} ${text}`] : [`${text} ${shown}`];
  });
  return texts.length === 0 ? "" : `<span class="limits">${escapeText(texts.join(", "))}</span>`;
}

function renderValues({ enum: values }: OpenApiSchema): string {
  if (!values) return "";
  return `<p class="values">${values.map((value) => `<code>${escapeText(String(value))}</code>`).join(" ")}</p>`;
}

interface Attribute {
  name: string;
  schema: OpenApiSchema;
  isRequired: boolean;
  description: string;
}

function renderAttribute({ name, schema, isRequired, description }: Attribute): string {
  const inner = innermost(schema);
  const required = isRequired ? ' <span class="required">required</span>' : "";
  const members = inner.properties
    ? `<details><summary>Members of <code>${escapeText(name)}</code></summary>${renderMembers(inner)}</details>`
    : "";
  return [
    `<li><p><code>${escapeText(name)}</code> <span class="type">${typeOf(schema)}</span>${required} ${renderLimits(inner)}</p>`,
    description ? `<p>${renderProse(description)}</p>` : "",
    renderValues(inner),
    members,
    "</li>",
  ].join("");
}

const renderList = (attributes: readonly Attribute[]) =>
  `<ul class="attributes">${attributes.map(renderAttribute).join("")}</ul>`;

/** @param isAnswer members that an answer always has are not marked as required */
export function renderMembers({ properties = {}, required = [] }: OpenApiSchema, isAnswer = false): string {
  return renderList(
    Object.entries(properties).map(([name, schema]) => ({
      name,
      schema,
      isRequired: !isAnswer && required.includes(name),
      description: schema.description ?? "",
    })),
  );
}

export const renderParameters = (parameters: readonly OpenApiParameter[]): string =>
  renderList(
    parameters.map(({ name, schema, required = false, description }) => ({
      name,
      schema,
      isRequired: required,
      description,
    })),
  );
