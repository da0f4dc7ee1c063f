/** The statuses and orders of the list of sources. No schema library is imported here. */

/** Most urgent first: the order `status` lists them so. */
export const SOURCE_LIST_STATUSES = ["failing", "quiet", "receiving", "waiting", "off"] as const;
export type SourceListStatus = (typeof SOURCE_LIST_STATUSES)[number];

export const SOURCE_ORDERS = ["created", "status", "name", "lastEvent"] as const;
export type SourceOrder = (typeof SOURCE_ORDERS)[number];
