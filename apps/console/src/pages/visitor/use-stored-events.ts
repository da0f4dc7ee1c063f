/** The stored events of a session, a visitor or a name, page by page. */
import { api } from "../../api.ts";
import { usePagedQuery } from "../../ui/paged-table.tsx";

export const KINDS = ["sessionId", "anonymousId", "userId", "name"] as const;
/** Which events are asked for: `id` is the value of the query parameter `kind`. */
export interface Subject<Kind extends (typeof KINDS)[number] = (typeof KINDS)[number]> {
  readonly kind: Kind;
  readonly id: string;
}

export const VISITOR_TITLES = { sessionId: "Session", anonymousId: "Visitor", userId: "User" } as const;
export type VisitorSubject = Subject<keyof typeof VISITOR_TITLES>;

const RANDOM_ID = /^(?:ses_[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
/** Ids that nobody chose are told apart by their beginning. */
export const shortenId = (id: string): string =>
  RANDOM_ID.test(id) ? id.replace("ses_", "").slice(0, 8) : id;

/**
 * The events of a session begin with the earliest, all others with the latest.
 * @param limit how many events a page has; without it, as many as the API answers
 */
export const useStoredEvents = (sourceId: string, { kind, id }: Subject, limit?: number) =>
  usePagedQuery(["events", sourceId, kind, id], (cursor, signal) =>
    api.listEvents({
      params: { sourceId },
      query: {
        [kind]: id,
        ...(kind !== "sessionId" && kind !== "name" && { order: "latest" as const }),
        ...(limit !== undefined && { limit }),
        ...(cursor !== null && { cursor }),
      },
      signal,
    }),
  );
