import type { IncomingMessage } from "node:http";

/** At most 128 visible ASCII characters. */
const VALID_REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** The request's own `X-Request-Id` if it is valid, else a new one (docs/contract.md section 1). */
export function requestIdOf({ headers }: IncomingMessage, createId: () => string): string {
  const own = headers["x-request-id"];
  return typeof own === "string" && VALID_REQUEST_ID.test(own) ? own : createId();
}
