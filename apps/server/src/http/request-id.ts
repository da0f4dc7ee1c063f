/** `X-Request-Id` (CONTRACT section 1): an incoming one of at most 128 visible ASCII characters is kept. */
const KEPT = /^[\x21-\x7e]{1,128}$/;

/**
 * @param incoming the header as Node gives it
 * @param make a fresh id, called only when the incoming one cannot be kept
 */
export function requestIdOf(incoming: string | string[] | undefined, make: () => string): string {
  return typeof incoming === "string" && KEPT.test(incoming) ? incoming : make();
}
