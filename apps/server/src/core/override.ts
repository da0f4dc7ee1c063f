/**
 * The object with some members replaced or added. A spread would lose members that are looked up when they are used, as
 * those of a ledger on SQLite are.
 */
export const override = <Base extends object, Members extends object>(
  base: Base,
  members: Members,
): Omit<Base, keyof Members> & Members => Object.assign(Object.create(base), members);
