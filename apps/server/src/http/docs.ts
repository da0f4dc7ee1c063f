/**
 * GET /docs (docs/contract.md section 8): the OpenAPI document as one HTML page. It needs no script and loads nothing.
 */
import { createHash } from "node:crypto";
import type { OpenApiContent, OpenApiDocument, OpenApiOperation } from "@headwater/contract";

const STYLE = `
:root{color-scheme:light dark;--line:#8884;--dim:#777}
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{margin-bottom:0}h2{font-size:1.05rem;margin:2.2rem 0 .2rem;border-top:1px solid var(--line);padding-top:1.2rem}
code,pre{font:13px/1.45 ui-monospace,monospace}pre{overflow:auto;padding:.6rem;border:1px solid var(--line);border-radius:6px}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.25rem .8rem .25rem 0;border-bottom:1px solid var(--line)}
nav{columns:2;margin:1rem 0}nav a{display:block;text-decoration:none}.dim{color:var(--dim)}.old{text-decoration:line-through}
`;

const styleHash = createHash("sha256").update(STYLE).digest("base64");

export const DOCS_HEADERS = {
  "Cache-Control": "no-cache",
  "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "Referrer-Policy": "no-referrer",
};

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** Text with `code` in backquotes. */
const renderProse = (text: string) => escapeHtml(text).replace(/`([^`]*)`/g, "<code>$1</code>");

const renderSchema = (schema: unknown) => `<pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre>`;

/** A schema that operations refer to as `#/components/schemas/…`. */
const renderComponent = ([name, schema]: [string, unknown]) =>
  `<h2 id="/components/schemas/${escapeHtml(name)}">${escapeHtml(name)}</h2>${renderSchema(schema)}`;

function renderDetails(title: string, content: OpenApiContent): string {
  const shown = Object.entries(content).map(
    ([type, { schema }]) => `<p class="dim">${escapeHtml(type)}</p>${renderSchema(schema)}`,
  );
  return `<details><summary>${title}</summary>${shown.join("")}</details>`;
}

function renderParameters(parameters: OpenApiOperation["parameters"]): string {
  if (parameters.length === 0) return "";
  const rows = parameters.map(
    (parameter) =>
      `<tr><td><code>${escapeHtml(parameter.name)}</code></td><td>${escapeHtml(parameter.in)}</td><td>${parameter.required ? "required" : "optional"}</td><td><code>${escapeHtml(JSON.stringify(parameter.schema))}</code></td></tr>`,
  );
  return `<table>${rows.join("")}</table>`;
}

function renderResponses(responses: OpenApiOperation["responses"]): string {
  const rows = Object.entries(responses).map(
    ([status, response]) =>
      `<tr><td><code>${escapeHtml(status)}</code></td><td>${"$ref" in response ? escapeHtml(response.$ref) : renderProse(response.description)}</td></tr>`,
  );
  return `<table>${rows.join("")}</table>`;
}

function renderOperation(method: string, path: string, operation: OpenApiOperation): string {
  const name = operation.deprecated ? "old" : "";
  return [
    `<h2 id="${escapeHtml(operation.operationId)}"><code class="${name}">${escapeHtml(method.toUpperCase())} ${escapeHtml(path)}</code></h2>`,
    `<p>${renderProse(operation.summary)}<br><span class="dim">${renderProse(operation.description)}${operation.deprecated ? "; deprecated" : ""}</span></p>`,
    renderParameters(operation.parameters),
    operation.requestBody
      ? renderDetails(
          `body, ${operation.requestBody.required ? "required" : "optional"}`,
          operation.requestBody.content,
        )
      : "",
    renderResponses(operation.responses),
  ].join("\n");
}

export function docsPage({ info: { title, version }, servers, paths, components }: OpenApiDocument): string {
  const [server] = servers;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const links = operations.map(
    ({ method, path, operation }) =>
      `<a href="#${escapeHtml(operation.operationId)}"><code>${method.toUpperCase()} ${escapeHtml(path)}</code></a>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)} API</title>
<style>${STYLE}</style></head><body>
<h1>${escapeHtml(title)} API</h1>
<p class="dim">${escapeHtml(version)} · ${escapeHtml(server?.url ?? "")} · <a href="/openapi.json">openapi.json</a></p>
<nav>${links.join("\n")}</nav>
${operations.map(({ method, path, operation }) => renderOperation(method, path, operation)).join("\n")}
${Object.entries(components.schemas).map(renderComponent).join("\n")}
</body></html>
`;
}
