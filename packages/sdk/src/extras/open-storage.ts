/** The members of a storage that a part of the client provides. */
interface StorageMembers extends Pick<Storage, "getItem" | "setItem" | "removeItem" | "headwaterOwner"> {
  names(): string[];
}

/** @returns a storage that lists its names as web storage does: as the members of the object */
export const openStorage = (members: StorageMembers): Storage =>
  new Proxy({} as Storage, {
    get: (_, name) => members[name as keyof StorageMembers],
    ownKeys: () => members.names(),
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, writable: true, value: "" }),
  });
