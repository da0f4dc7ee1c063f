/** The operations on what members save for the stats of a source. */
import { BODY_CODES, type Operation, QUERY_CODES, sourceCodes } from "../operation.ts";
import { CreateSavedItemBody, DeletedSavedItem, SavedItem, SavedItemList } from "../saved-items.ts";
import { SourceOrganizationQuery } from "./queries.ts";

const SAVED = "/api/tracking-sources/:sourceId/saved";

export const SAVED_ITEM_OPERATIONS = [
  {
    id: "listSavedItems",
    tag: "Stats",
    method: "GET",
    path: SAVED,
    summary: "List saved segments, funnels and annotations",
    description: "Those that are shared with the workspace, and your own. Share links do not show them.",
    access: "member",
    organization: "optional-query",
    source: "path",
    query: SourceOrganizationQuery,
    status: 200,
    answer: SavedItemList,
    codes: sourceCodes(QUERY_CODES),
  },
  {
    id: "createSavedItem",
    tag: "Stats",
    method: "POST",
    path: SAVED,
    summary: "Save a segment, a funnel or an annotation",
    description:
      "It is yours alone, unless `shared` is true. The console shows it on the source's stats page.",
    access: "member",
    organization: "optional-body",
    source: "path",
    body: CreateSavedItemBody,
    status: 201,
    answer: SavedItem,
    codes: sourceCodes([...BODY_CODES, "too_many_saved_items"]),
  },
  {
    id: "deleteSavedItem",
    tag: "Stats",
    method: "DELETE",
    path: `${SAVED}/:savedId`,
    summary: "Delete a segment, a funnel or an annotation",
    description: "Your own ones, and with `sources:write` all that are shared.",
    access: "member",
    organization: "optional-query",
    source: "path",
    query: SourceOrganizationQuery,
    status: 200,
    answer: DeletedSavedItem,
    codes: sourceCodes([...QUERY_CODES, "saved_item_not_found"]),
  },
] as const satisfies readonly Operation[];
