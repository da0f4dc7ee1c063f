/**
 * The object with some members replaced or added. A spread would lose the members of a Proxy, such as a ledger on SQLite.
 */
export const override = <Base extends object, Members extends object>(
  base: Base,
  members: Members,
): Omit<Base, keyof Members> & Members => Object.assign(Object.create(base), members);
