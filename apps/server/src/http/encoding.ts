/** Which content codings a client accepts (RFC 9110, 12.5.3). */
import type { IncomingHttpHeaders } from "node:http";

/** @returns the first of the codings that the client accepts; undefined: none */
export function chooseEncoding(headers: IncomingHttpHeaders, codings: Iterable<string>): string | undefined {
  const accepted = String(headers["accept-encoding"] ?? "")
    .split(",")
    .map((item) => item.trim().toLowerCase())
    .filter((item) => !/;\s*q=0(?:\.0*)?$/.test(item))
    .map((item) => item.split(";", 1)[0]);
  return [...codings].find((coding) => accepted.includes(coding));
}
