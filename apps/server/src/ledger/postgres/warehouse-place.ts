/**
 * Where the events of all nodes are, when one node has an embedded warehouse: which folder that is, and which node serves it. The
 * ledger no longer has the events that were shipped to the folder, so no other folder can take its place.
 */
import type pg from "pg";
import { OperatorError } from "../../core/errors.ts";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { WarehousePlace } from "../ledger.ts";
import { inTransaction } from "./transaction.ts";

/** The events are in another folder than the one of this node. The message says where. */
export class WarehouseElsewhere extends OperatorError {
  constructor({ url }: WarehousePlace) {
    super(
      `This ledger's events are in the embedded warehouse on node ${url}, so this node's DATA_DIR cannot have another one. ` +
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
    on conflict (is_only) do update set place_id = excluded.place_id, url = excluded.url, node_id = excluded.node_id
    where place.place_id = any($5) and not exists (select from nodes
      where node_id = place.node_id and node_id <> $3 and seen_at > clock_timestamp() - $4 * interval '1 ms')
    returning place_id
  ), released as (
    update outbox_pages set claimed_until = clock_timestamp() where exists (select from claimed)
  ) select from claimed`;

/**
 * Whether the node of this parameter still has the place; null: it never had it, because the warehouse is a server.
 * @param lock `for share`: another node can claim it only after the end of the transaction
 */
export const holdsPlace = (node: string, lock: "for share" | "" = ""): string =>
  `(${node}::text is null or exists (select from warehouse_place where node_id = ${node} ${lock}))`;

const HOLD = `select where ${holdsPlace("$1", "for share")}`;

export class WarehousePlaceStore {
  readonly #pool: pg.Pool;
  readonly #nodeId: string;
  /** This node, once it has claimed the place. It stays set when another node claims it. */
  holder: string | null = null;

  constructor(pool: pg.Pool, nodeId: string) {
    this.#pool = pool;
    this.#nodeId = nodeId;
  }

  /** Runs the work while no other node can claim the place. @throws Error when another node has it */
  async whileHeld<T>(work: () => Promise<T>): Promise<T> {
    if (this.holder === null) return work();
    return inTransaction(this.#pool, async (client) => {
      const { rowCount } = await client.query(HOLD, [this.holder]);
      if (rowCount === 0) throw new Error("This node no longer has the warehouse.");
      return work();
    });
  }

  methods() {
    const warehousePlace = async () => (await this.#pool.query<WarehousePlace>(SELECT)).rows[0] ?? null;
    return {
      warehousePlace,
      claimWarehouse: async ({ placeId, url, knownIds }: WarehousePlace & { knownIds: string[] }) => {
        const values = [placeId, url, this.#nodeId, SERVER_LIMITS.nodeTimeoutMs, knownIds];
        const { rowCount } = await this.#pool.query(CLAIM, values);
        if (rowCount === 1) {
          this.holder = this.#nodeId;
          return;
        }
        const place = await warehousePlace();
        if (place && !knownIds.includes(place.placeId)) throw new WarehouseElsewhere(place);
        throw new Error(
          `The node ${place?.url} had this warehouse a moment ago. Another node can take the warehouse over a few seconds after that node has stopped.`,
        );
      },
    };
  }
}
