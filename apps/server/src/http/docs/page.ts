/**
 * GET /docs (docs/api/service.md): the OpenAPI document as one HTML page. It needs no script and loads nothing. Each
 * operation has its parameters at the left and an example at the right; named objects are described once, at the end.
 */
import { createHash } from "node:crypto";
import type {
  OpenApiContent,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiRef,
  OpenApiResponse,
  OpenApiSchema,
} from "@headwater/contract";
import { escapeText } from "../escape-html.ts";
import { pageHeaders } from "../page-headers.ts";
import { renderMarkdown, renderMembers, renderParameters, renderProse, toId, typeOf } from "./attributes.ts";
import { curlOf } from "./samples.ts";
import { STYLE } from "./style.ts";

const styleHash = createHash("sha256").update(STYLE).digest("base64");

export const DOCS_HEADERS = {
  "Cache-Control": "no-cache",
  ...pageHeaders({ "style-src": `'sha256-${styleHash}'` }),
};

interface Route {
  method: string;
  path: string;
  operation: OpenApiOperation;
}
type Components = OpenApiDocument["components"];

const nameOfRef = ({ $ref }: OpenApiRef) => $ref.split("/").at(-1) ?? "";
const isRef = (response: OpenApiResponse | OpenApiRef): response is OpenApiRef => "$ref" in response;

const schemaOf = (content: OpenApiContent | undefined): OpenApiSchema | undefined =>
  Object.values(content ?? {})[0]?.schema;

function renderBody({ requestBody }: OpenApiOperation, { schemas }: Components): string {
  const { $ref = "" } = schemaOf(requestBody?.content) ?? {};
  const schema = schemas[nameOfRef({ $ref })];
  if (!schema) return "";
  const optional = requestBody?.required ? "" : ' <span class="dim">optional</span>';
  const description = schema.description ? `<p>${renderProse(schema.description)}</p>` : "";
  return `<h4>Body${optional}</h4>${description}${renderMembers(schema)}`;
}

const PARAMETER_KINDS = [
  ["path", "Path parameters"],
  ["query", "Query parameters"],
  ["header", "Headers"],
] as const;

const renderAllParameters = ({ parameters }: OpenApiOperation): string =>
  PARAMETER_KINDS.map(([kind, title]) => {
    const selected = parameters.filter((one) => one.in === kind);
    return selected.length === 0 ? "" : `<h4>${title}</h4>${renderParameters(selected)}`;
  }).join("");

function renderReturns({ responses }: OpenApiOperation): string {
  const lines = Object.entries(responses).flatMap(([status, response]) => {
    if (isRef(response)) return [];
    const types = Object.keys(response.content ?? {});
    const schema = schemaOf(response.content);
    const body = types[0] === "application/json" && schema ? typeOf(schema) : escapeText(types.join(", "));
    const headers = Object.keys(response.headers).filter((name) => name !== "X-Request-Id");
    const withHeaders =
      headers.length === 0 ? "" : ` with ${headers.map((name) => `<code>${name}</code>`).join(", ")}`;
    return [`<p><code>${status}</code> ${body || renderProse(response.description)}${withHeaders}</p>`];
  });
  return `<h4>Returns</h4>${lines.join("")}`;
}

/** The error codes of an operation, by status. */
function errorsOf(
  { responses }: OpenApiOperation,
  components: Components,
): [status: string, codes: string[]][] {
  return Object.entries(responses).map(([status, response]) => {
    const shared = isRef(response) ? components.responses[nameOfRef(response)] : undefined;
    return [status, Object.keys(shared?.content?.["application/json"]?.examples ?? {})];
  });
}

/** The codes that most operations have are listed once for all of them. */
const COMMON_SHARE = 0.8;

function commonErrors(routes: readonly Route[], components: Components): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { operation } of routes)
    for (const code of errorsOf(operation, components).flatMap(([, codes]) => codes))
      counts.set(code, (counts.get(code) ?? 0) + 1);
  return new Set(
    [...counts].flatMap(([code, count]) => (count >= COMMON_SHARE * routes.length ? [code] : [])),
  );
}

const linkError = (code: string) => `<a href="#error-${code}">${code}</a>`;

function renderErrors(
  operation: OpenApiOperation,
  components: Components,
  common: ReadonlySet<string>,
): string {
  const rows = errorsOf(operation, components).flatMap(([status, codes]) => {
    const links = codes.filter((code) => !common.has(code)).map(linkError);
    return links.length === 0 ? [] : [`<p>${status} ${links.join(" ")}</p>`];
  });
  return `<details class="codes"><summary>Errors</summary>${rows.join("")}<p>And the <a href="#common-errors">common errors</a></p></details>`;
}

const renderRoute = ({ method, path, operation }: Route) =>
  `<p class="route"><span class="${method}">${method.toUpperCase()}</span> ${operation.deprecated ? `<span class="old">${escapeText(path)}</span>` : escapeText(path)}</p>`;

const toText = (example: unknown): string =>
  typeof example === "string" ? example : JSON.stringify(example, null, 2);

function renderSample(route: Route, server: string): string {
  const success = Object.values(route.operation.responses)[0];
  const content = success && !isRef(success) ? success.content : undefined;
  const example = Object.values(content ?? {})[0]?.example;
  const request = escapeText(curlOf(server, route, route.operation));
  return [
    `<div class="sample"><p class="caption">Request</p><pre tabindex="0" id="request-${route.operation.operationId}">${request}</pre>`,
    example === undefined
      ? ""
      : `<p class="caption">Response</p><pre tabindex="0">${escapeText(toText(example))}</pre>`,
    "</div>",
  ].join("");
}

interface PageParts {
  readonly server: string;
  readonly components: Components;
  readonly common: ReadonlySet<string>;
}

const renderOperation = (route: Route, { server, components, common }: PageParts): string =>
  [
    `<section class="operation" id="${route.operation.operationId}"><div>`,
    `<h2>${renderProse(route.operation.summary)}</h2>${renderRoute(route)}`,
    route.operation.deprecated ? "<p><b>Deprecated.</b></p>" : "",
    renderMarkdown(route.operation.description),
    renderAllParameters(route.operation),
    renderBody(route.operation, components),
    renderReturns(route.operation),
    renderErrors(route.operation, components, common),
    `</div>${renderSample(route, server)}</section>`,
  ].join("\n");

/** Bodies of requests are described where they are sent. */
function isBodyOf(name: string, routes: readonly Route[]): boolean {
  return routes.some(({ operation }) => schemaOf(operation.requestBody?.content)?.$ref?.endsWith(`/${name}`));
}

function renderObject(name: string, schema: OpenApiSchema): string {
  const description = schema.description ? renderMarkdown(schema.description) : "";
  const body = schema.properties ? renderMembers(schema, true) : `<p class="type">${typeOf(schema)}</p>`;
  return `<section id="object-${toId(name)}"><h2>${escapeText(name)}</h2>${description}${body}</section>`;
}

function renderErrorTable({ examples }: Components, common: ReadonlySet<string>): string {
  const rows = Object.entries(examples).map(
    ([code, { value }]) =>
      `<tr id="error-${code}"><td><code>${code}</code></td><td>${renderProse(value.message)} ${renderProse(value.hint)}</td></tr>`,
  );
  const codes = `<p id="common-errors" class="codes">Nearly every operation can return these common errors: ${[...common].map(linkError).join(" ")}</p>`;
  return `<section id="errors"><h2>Error codes</h2>${codes}<table>${rows.join("")}</table></section>`;
}

const link = (href: string, text: string) => `<a href="#${href}">${escapeText(text)}</a>`;

export function docsPage(document: OpenApiDocument): string {
  const { info, servers, tags, components } = document;
  const server = servers[0]?.url ?? "";
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Route => ({ method, path, operation })),
  );
  const routesOf = (tag: string) => routes.filter(({ operation }) => operation.tags[0] === tag);
  const shown = { server, components, common: commonErrors(routes, components) };
  const objects = Object.entries(components.schemas).filter(([name]) => !isBodyOf(name, routes));
  const menu = tags.map(({ name }) => {
    const links = routesOf(name).map(({ operation }) => link(operation.operationId, operation.summary));
    return `<b>${escapeText(name)}</b>${links.join("")}`;
  });
  const groups = tags.map(({ name, description }) =>
    [
      `<section class="group" id="tag-${toId(name)}"><h1>${escapeText(name)}</h1>${renderMarkdown(description)}</section>`,
      ...routesOf(name).map((route) => renderOperation(route, shown)),
    ].join("\n"),
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeText(info.title)}</title>
<style>${STYLE}</style></head><body>
<nav aria-label="Operations">${link("introduction", "Introduction")}${link("errors", "Error codes")}${menu.join("\n")}
<b>Objects</b>${objects.map(([name]) => link(`object-${toId(name)}`, name)).join("")}</nav>
<main><div id="introduction"><h1>${escapeText(info.title)}</h1>
<p class="dim">${escapeText(info.version)} · <code>${escapeText(server)}</code> · <a href="/openapi.json">openapi.json</a></p>
${renderMarkdown(info.description)}</div>
${groups.join("\n")}
${renderErrorTable(components, shown.common)}
<section class="group"><h1>Objects</h1></section>
${objects.map(([name, schema]) => renderObject(name, schema)).join("\n")}
</main></body></html>
`;
}
