import type { Ledger, Register } from "./ledger.ts";

/** Verbs after which what is remembered of sources, members and tokens may be wrong. */
const CHANGING = [
  "setUp",
  "signIn",
  "createOrganization",
  "addMember",
  "changeRole",
  "removeMember",
  "createToken",
  "revokeToken",
  "createSource",
  "updateSource",
  "deleteSource",
  "rotateKey",
  "restoreKey",
] as const satisfies readonly (keyof Register)[];

/** The same ledger, which tells of each change made through it before its caller goes on. */
export function withChangeNotice(ledger: Ledger, changed: () => void): Ledger {
  const noticing = Object.fromEntries(
    CHANGING.map((verb) => {
      const change = ledger[verb] as (argument: unknown) => Promise<unknown>;
      const run = async (argument: unknown) => {
        try {
          return await change(argument);
        } finally {
          changed();
        }
      };
      return [verb, run];
    }),
  );
  return { ...ledger, ...noticing };
}
