/**
 * Where the events of all nodes are, when one node has an embedded warehouse: which folder that is, and which node serves it. The
 * folder stays the same for ever, because the ledger no longer has the events that were shipped to it.
 */
import type pg from "pg";
import { OperatorError } from "../../core/errors.ts";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { WarehousePlace } from "../ledger.ts";

/** The events are in another folder than that of this node. The message says where. */
export class WarehouseElsewhere extends OperatorError {
  constructor({ url }: WarehousePlace) {
    super(
      `The events of this ledger are in the embedded warehouse of the node ${url}, so DATA_DIR of this node cannot have another one. ` +
        "Unset WAREHOUSE here, or use a copy of that folder (docs/operate/several-nodes.md).",
    );
  }
}

const SELECT = `select place_id as "placeId", url from warehouse_place`;

/**
 * The place belongs to a node for as long as its heartbeats come. The pages that an earlier node was shipping need not wait for the end
 * of their leases.
 */
const CLAIM = `with claimed as (
    insert into warehouse_place as place (place_id, url, node_id) values ($1, $2, $3)
    on conflict (is_only) do update set url = excluded.url, node_id = excluded.node_id
    where place.place_id = excluded.place_id and not exists (select from nodes
      where node_id = place.node_id and node_id <> $3 and seen_at > clock_timestamp() - $4 * interval '1 ms')
    returning place_id
  ), released as (
    update outbox_pages set claimed_until = clock_timestamp() where exists (select from claimed)
  ) select from claimed`;

export const warehousePlaceMethods = (pool: pg.Pool, nodeId: string) => {
  const warehousePlace = async () => (await pool.query<WarehousePlace>(SELECT)).rows[0] ?? null;
  return {
    warehousePlace,
    claimWarehouse: async ({ placeId, url }: WarehousePlace) => {
      const { rowCount } = await pool.query(CLAIM, [placeId, url, nodeId, SERVER_LIMITS.nodeTimeoutMs]);
      if (rowCount === 1) return;
      const place = await warehousePlace();
      if (place && place.placeId !== placeId) throw new WarehouseElsewhere(place);
      throw new Error(
        `The node ${place?.url} had this warehouse a moment ago. It can be claimed some seconds after its end.`,
      );
    },
  };
};
