/** The public operations: health checks, metrics, documentation and the browser client. */
import Type from "typebox";
import type { Operation } from "../operation.ts";
import * as workspace from "../workspace.ts";

/** The codes that every route can answer before the request is read. */
const PUBLIC_CODES = ["malformed_http", "request_timeout", "headers_too_large", "internal_error"] as const;
const RATED_CODES = ["rate_limited", ...PUBLIC_CODES] as const;
const DOCUMENT_HEADERS = { requestHeaders: ["If-None-Match"], responseHeaders: ["ETag"] } as const;

export const PUBLIC_OPERATIONS = [
  {
    id: "healthz",
    tag: "Health",
    method: "GET",
    path: "/healthz",
    summary: "Check that the process is running",
    description: "For liveness checks. It answers as long as the process runs.",
    access: "public",
    status: 200,
    answer: workspace.Health,
    codes: PUBLIC_CODES,
  },
  {
    id: "readyz",
    tag: "Health",
    method: "GET",
    path: "/readyz",
    summary: "Check that the service is ready",
    description:
      "Ready means: the ledger is writable, migrations are done, the disk is not full, and the service is not shutting down. The state of the warehouse does not affect it, because accepted events wait in the ledger.",
    access: "public",
    status: 200,
    answer: workspace.Readiness,
    codes: ["storage_unavailable", "storage_full", "shutting_down", ...PUBLIC_CODES],
  },
  {
    id: "metrics",
    tag: "Health",
    method: "GET",
    path: "/metrics",
    summary: "Get metrics for Prometheus",
    description:
      "The text format of Prometheus. No label contains a source or a key. The metrics are listed in docs/operate.md.",
    access: "public",
    status: 200,
    answer: Type.String(),
    mediaType: "text/plain",
    hasClientRate: true,
    codes: RATED_CODES,
  },
  {
    id: "openapi",
    tag: "Documents",
    method: "GET",
    path: "/openapi.json",
    summary: "Get this document",
    description: "OpenAPI 3.1. Clients can be generated from it.",
    access: "public",
    status: 200,
    answer: Type.Record(Type.String(), Type.Unknown()),
    isDocument: true,
    ...DOCUMENT_HEADERS,
    hasClientRate: true,
    codes: RATED_CODES,
  },
  {
    id: "docs",
    tag: "Documents",
    method: "GET",
    path: "/docs",
    summary: "Show this document as a web page",
    description: "The page needs no script and loads nothing from other hosts.",
    access: "public",
    status: 200,
    answer: Type.String(),
    mediaType: "text/html",
    isDocument: true,
    ...DOCUMENT_HEADERS,
    hasClientRate: true,
    codes: RATED_CODES,
  },
  {
    id: "sdk",
    tag: "Documents",
    method: "GET",
    path: "/sdk/v2.js",
    summary: "Get the browser client",
    description:
      "Pages load it with the snippet of the install page. `with=engagement` adds the optional part `engagement`.",
    access: "public",
    query: Type.Object({
      with: Type.Optional(
        Type.String({ description: "An optional part to add: `engagement`. Others are ignored." }),
      ),
    }),
    status: 200,
    answer: Type.String(),
    mediaType: "text/javascript",
    isDocument: true,
    ...DOCUMENT_HEADERS,
    hasClientRate: true,
    codes: RATED_CODES,
  },
  {
    id: "sdkExtra",
    tag: "Documents",
    method: "GET",
    path: "/sdk/extras/:file",
    summary: "Get an optional part of the browser client",
    description: "The browser client loads its optional parts from here, such as `forms.js`.",
    access: "public",
    status: 200,
    answer: Type.String(),
    mediaType: "text/javascript",
    isDocument: true,
    ...DOCUMENT_HEADERS,
    hasClientRate: true,
    codes: ["route_not_found", ...RATED_CODES],
  },
] as const satisfies readonly Operation[];
