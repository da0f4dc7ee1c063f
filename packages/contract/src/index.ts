export * from "./debug.ts";
export * from "./errors.ts";
export * from "./ingest.ts";
export * from "./limits.ts";
export * from "./openapi.ts";
export * from "./operations.ts";
export * from "./sources.ts";
export * from "./workspace.ts";
