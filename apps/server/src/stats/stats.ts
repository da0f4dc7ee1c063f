/** What can be asked of a source's events (CONTRACT section 9). */
import type { Handlers } from "../call.ts";
import { Refusal } from "../refusal.ts";

export type StatsHandlers = Pick<
  Handlers,
  "queryStats" | "queryFunnel" | "queryRetention" | "queryPaths" | "getLive"
>;

const off = async (): Promise<never> => {
  throw new Refusal("warehouse_off");
};

export const createStats = (): StatsHandlers => ({
  queryStats: off,
  queryFunnel: off,
  queryRetention: off,
  queryPaths: off,
  getLive: off,
});
