/** The parts of OpenAPI 3.1 that the document has. */
import type { Tag } from "./tags.ts";

/** A JSON Schema in which named schemas are references. */
export interface OpenApiSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: (string | null)[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, OpenApiSchema>;
  patternProperties?: Record<string, OpenApiSchema>;
  required?: string[];
  additionalProperties?: boolean | OpenApiSchema;
  items?: OpenApiSchema;
  anyOf?: OpenApiSchema[];
  allOf?: OpenApiSchema[];
  [keyword: string]: unknown;
}
export interface OpenApiRef {
  $ref: string;
}

interface OpenApiMedia {
  schema: OpenApiSchema;
  example?: unknown;
  /** By error code. */
  examples?: Record<string, OpenApiRef>;
}
/** By media type. */
export type OpenApiContent = Record<string, OpenApiMedia>;

interface OpenApiHeader {
  description: string;
  required?: true;
  schema: OpenApiSchema;
  example: string | number;
}

export interface OpenApiParameter extends Omit<OpenApiHeader, "required" | "example"> {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  example?: unknown;
}

export interface OpenApiResponse {
  description: string;
  headers: Record<string, OpenApiRef>;
  content?: OpenApiContent;
}

export interface OpenApiOperation {
  operationId: string;
  tags: [Tag];
  summary: string;
  description: string;
  deprecated?: true;
  /** Absent: that of the document. `{}`: no token is required. */
  security?: Record<string, never[]>[];
  parameters: OpenApiParameter[];
  requestBody?: { required: boolean; content: OpenApiContent };
  /** By status. Failures are references. */
  responses: Record<string, OpenApiResponse | OpenApiRef>;
}

/** A type, because an interface is not assignable to a record. */
export type OpenApiDocument = {
  openapi: string;
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    contact: { name: string; url: string };
    license: { name: string; identifier: string };
  };
  servers: { url: string; description: string }[];
  security: Record<string, never[]>[];
  tags: { name: string; description: string }[];
  /** By path, then by method in lower case. */
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: {
    securitySchemes: Record<string, { type: string; scheme: string; description: string }>;
    schemas: Record<string, OpenApiSchema>;
    headers: Record<string, OpenApiHeader>;
    responses: Record<string, OpenApiResponse>;
    /** By error code. */
    examples: Record<string, { value: { code: string; message: string; hint: string } }>;
  };
};
