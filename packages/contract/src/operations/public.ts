/** The public operations: health checks, metrics, documentation and the browser client. */
import Type from "typebox";
import type { Operation } from "../operation.ts";
import * as workspace from "../workspace.ts";

const DOCUMENT_CODES = ["rate_limited", "internal_error"] as const;

export const PUBLIC_OPERATIONS = [
  {
    id: "healthz",
    method: "GET",
    path: "/healthz",
    summary: "Check that the process is running",
    access: "public",
    status: 200,
    answer: workspace.Health,
    codes: ["internal_error"],
  },
  {
    id: "readyz",
    method: "GET",
    path: "/readyz",
    summary:
      "Check that the service is ready: ledger writable, migrations done, disk not full, not shutting down",
    access: "public",
    status: 200,
    answer: workspace.Readiness,
    codes: ["storage_unavailable", "storage_full", "shutting_down", "internal_error"],
  },
  {
    id: "metrics",
    method: "GET",
    path: "/metrics",
    summary: "Get metrics for Prometheus. No label contains a source or a key",
    access: "public",
    status: 200,
    answer: Type.String(),
    mediaType: "text/plain",
    codes: ["internal_error"],
  },
  {
    id: "openapi",
    method: "GET",
    path: "/openapi.json",
    summary: "Get this document",
    access: "public",
    status: 200,
    answer: Type.Record(Type.String(), Type.Unknown()),
    isDocument: true,
    codes: DOCUMENT_CODES,
  },
  {
    id: "docs",
    method: "GET",
    path: "/docs",
    summary: "Show this document as a web page",
    access: "public",
    status: 200,
    answer: Type.String(),
    mediaType: "text/html",
    isDocument: true,
    codes: DOCUMENT_CODES,
  },
  {
    id: "sdk",
    method: "GET",
    path: "/sdk/v2.js",
    summary: "Get the browser client",
    access: "public",
    status: 200,
    answer: Type.String(),
    mediaType: "text/javascript",
    isDocument: true,
    codes: DOCUMENT_CODES,
  },
  {
    id: "sdkExtra",
    method: "GET",
    path: "/sdk/extras/:file",
    summary: "Get an optional part of the browser client",
    access: "public",
    status: 200,
    answer: Type.String(),
    mediaType: "text/javascript",
    isDocument: true,
    codes: ["route_not_found", ...DOCUMENT_CODES],
  },
] as const satisfies readonly Operation[];
