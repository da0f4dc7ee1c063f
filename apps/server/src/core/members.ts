/** Members of objects, and of values whose shape is not known. */

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const memberOf = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** Whether a value of a body is what is stored already. Of an object, the members that the body has are compared. */
export const isUnchanged = (given: unknown, stored: unknown): boolean =>
  isRecord(given) && isRecord(stored)
    ? Object.entries(given).every(([name, value]) => isUnchanged(value, memberOf(stored, name)))
    : given === stored;

/**
 * The object with some members replaced or added. A spread would lose the members of a Proxy, such as a ledger on SQLite.
 */
export const override = <Base extends object, Members extends object>(
  base: Base,
  members: Members,
): Omit<Base, keyof Members> & Members => Object.assign(Object.create(base), members);
