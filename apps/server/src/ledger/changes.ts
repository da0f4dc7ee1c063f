import type { Change, Ledger, Register } from "./ledger.ts";

const TOKENS = (): Change => ({ of: "tokens" });
const SOURCE = ({ sourceId }: { sourceId: string }): Change => ({ of: "source", sourceId });

/** Verbs after which what is remembered of a source or of tokens may be wrong; of members nothing is remembered. */
const CHANGING: { readonly [V in keyof Register]?: (asked: Parameters<Register[V]>[0]) => Change } = {
  setUp: TOKENS,
  signIn: TOKENS,
  removeMember: TOKENS,
  createToken: TOKENS,
  revokeToken: TOKENS,
  createSource: ({ source }) => SOURCE(source),
  updateSource: SOURCE,
  deleteSource: SOURCE,
  rotateKey: SOURCE,
  restoreKey: SOURCE,
};

/** The same ledger, which tells of each change made through it before its caller goes on. */
export function withChangeNotice(ledger: Ledger, changed: (change: Change) => void): Ledger {
  const noticing = Object.entries(CHANGING).map(([verb, changeOf]) => {
    const change = ledger[verb as keyof Register] as (argument: unknown) => Promise<unknown>;
    const run = async (argument: unknown) => {
      try {
        return await change(argument);
      } finally {
        changed((changeOf as (argument: unknown) => Change)(argument));
      }
    };
    return [verb, run];
  });
  return { ...ledger, ...Object.fromEntries(noticing) };
}
