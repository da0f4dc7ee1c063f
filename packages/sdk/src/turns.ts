/** Pages on plain http and old browsers do not have the locks. */
export const hasTurns = (): unknown => navigator.locks;

/**
 * One page of the site sends at a time: one bootstrap for all of them, and nothing twice. Where that cannot be had, or
 * is refused as in a sandboxed frame, a second sending is possible; the server knows it for what it is.
 */
export function inTurn(publicKey: string, run: () => Promise<void>): Promise<void> {
  let begun: Promise<void> | undefined;
  const begin = () => (begun ??= run());
  return hasTurns() ? navigator.locks.request(`headwater.${publicKey}`, begin).catch(begin) : begin();
}
