/** The headers of requests and responses that the API documents. */
import Type, { type TSchema } from "typebox";

interface DocumentedHeader {
  readonly description: string;
  readonly schema: TSchema;
  readonly example: string | number;
  /** The response always has it. */
  readonly isRequired?: true;
}

const Text = Type.String();
const Seconds = Type.Integer({ minimum: 1 });
const Requests = Type.Integer({ minimum: 0 });

export const REQUEST_HEADERS = {
  Prefer: {
    description:
      "`handling=lenient`: an event that is not valid is rejected alone, and the other events are stored. Otherwise it refuses the whole batch.",
    schema: Text,
    example: "handling=lenient",
  },
  "If-None-Match": {
    description: "The `ETag` that the client has. If it is current, the response is 304.",
    schema: Text,
    example: 'W/"mFv0RPLzCLHwnQkQYDvxQg"',
  },
  "Last-Event-ID": {
    description: "The id of the last received event. The stream continues after it.",
    schema: Text,
    example: "128",
  },
} as const satisfies Record<string, DocumentedHeader>;
export type RequestHeader = keyof typeof REQUEST_HEADERS;

export const RESPONSE_HEADERS = {
  "X-Request-Id": {
    description: "The id of the request: that of the request's own `X-Request-Id`, or a new one.",
    schema: Text,
    example: "req_01a2b3c4d5e6f708192a3b4c5d6e7f80",
    isRequired: true,
  },
  Location: {
    description: "The address of what was created.",
    schema: Type.String({ format: "uri-reference" }),
    example: "/api/tracking-sources/src_01a2b3c4d5e6f708192a3b4c5d6e7f80",
    isRequired: true,
  },
  ETag: {
    description: "The version of the document.",
    schema: Text,
    example: 'W/"mFv0RPLzCLHwnQkQYDvxQg"',
    isRequired: true,
  },
  Deprecation: {
    description: "When the route was deprecated (RFC 9745).",
    schema: Text,
    example: "@1767225600",
    isRequired: true,
  },
  Sunset: {
    description: "When the public key of the request stops working (RFC 8594). Only for a previous key.",
    schema: Text,
    example: "Sun, 22 Nov 2026 12:00:00 GMT",
  },
  Link: {
    description: "The route that replaces this one. Only if the request has the fields that it requires.",
    schema: Text,
    example: '</api/ingest/v2/pk_x/events>; rel="successor-version"',
  },
  "Headwater-Incomplete": {
    description: "`true`: the warehouse has lost events of the source in the range.",
    schema: Text,
    example: "true",
  },
  "WWW-Authenticate": {
    description: "How to authenticate.",
    schema: Text,
    example: "Bearer",
    isRequired: true,
  },
  "Retry-After": {
    description: "Seconds to wait before the next try.",
    schema: Seconds,
    example: 1,
    isRequired: true,
  },
  "RateLimit-Limit": {
    description: "Requests that can come at once.",
    schema: Requests,
    example: 100,
    isRequired: true,
  },
  "RateLimit-Remaining": {
    description: "Requests that are left.",
    schema: Requests,
    example: 0,
    isRequired: true,
  },
  "RateLimit-Reset": {
    description: "Seconds until all requests are allowed again.",
    schema: Requests,
    example: 5,
    isRequired: true,
  },
} as const satisfies Record<string, DocumentedHeader>;
export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

const RATE_HEADERS = ["Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"] as const;
/** The headers of a failure, by its status. */
export const FAILURE_HEADERS: Readonly<Record<number, readonly ResponseHeader[]>> = {
  401: ["WWW-Authenticate"],
  429: RATE_HEADERS,
  503: ["Retry-After"],
};
