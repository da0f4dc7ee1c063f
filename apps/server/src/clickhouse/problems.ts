/** Decides which findings of the warehouse a person should know, and remembers them until they are gone. */
import { MINUTE_MS } from "../core/time.ts";
import type { FailedMerge, FullestPartition, UnfinishedMutation, WarehouseFindings } from "./health.ts";

export interface WarehouseProblem {
  /** The same as long as it is the same problem. */
  readonly key: string;
  /** One sentence or two for the operator, without data of visitors. */
  readonly text: string;
}

export interface WarehouseFigures {
  readonly failingMerges: number;
  readonly stuckMutations: number;
  /** Parts of the fullest partition, as a share of the number at which ClickHouse delays inserts. */
  readonly partsRatio: number;
  readonly detachedParts: number;
}

export interface WarehouseHealth {
  problems(): readonly WarehouseProblem[];
  /** null: the warehouse has not been looked at since it came up. */
  figures(): WarehouseFigures | null;
  /** The failed merges of the latest look. */
  failedMerges(): readonly FailedMerge[];
  update(findings: WarehouseFindings, now: number): void;
  /** Call it when the warehouse is down. */
  forget(): void;
}

/** A mutation that neither runs nor has rewritten a part for so long makes no progress. */
const MUTATION_PATIENCE_MS = 10 * MINUTE_MS;
/** A table has dozens of partitions. */
const MAX_PROBLEMS = 20;
/** A share of the number of parts at which ClickHouse delays inserts. */
const NEAR_LIMIT = 0.8;

const runbook = (alert: string) => `See docs/operate/runbook/${alert}.md.`;
const withError = (error: string) => (error === "" ? "" : ` (${error})`);

const mutationKey = ({ host, table, id }: UnfinishedMutation) => `mutation ${host} ${table} ${id}`;

const describeMerge = ({ host, table, planned: { partition }, error }: FailedMerge): WarehouseProblem => ({
  key: `merge ${host} ${table} ${partition}`,
  text: `Merges fail in partition ${partition} of table ${table}${withError(error)}, so the number of parts keeps growing. ${runbook("HeadwaterMergesFailing")}`,
});

const describeMutation = (mutation: UnfinishedMutation): WarehouseProblem => ({
  key: mutationKey(mutation),
  text: `A mutation of table ${mutation.table} makes no progress${withError(mutation.error)}, so erasures and deletions by age wait. ${runbook("HeadwaterMutationStuck")}`,
});

const describePartition = ({ table, partition, parts, maxParts }: FullestPartition): WarehouseProblem => ({
  key: `parts ${table}`,
  text: `Partition ${partition} of table ${table} has ${parts} parts. From ${maxParts} on, ClickHouse delays inserts and then refuses them. ${runbook("HeadwaterPartsNearLimit")}`,
});

const describeDetached = ({ table, parts }: { table: string; parts: number }): WarehouseProblem => ({
  key: `detached ${table}`,
  text: `${parts} damaged parts of table ${table} are detached. ${runbook("HeadwaterEventsMissing")}`,
});

const partsRatio = ({ parts, maxParts }: FullestPartition) => parts / maxParts;

/** Mutations, and since when each has made no progress. */
class MutationProgress {
  #seen = new Map<string, { partsToDo: number; since: number }>();

  /** @returns the mutations that make no progress */
  update(mutations: readonly UnfinishedMutation[], now: number): UnfinishedMutation[] {
    const seen = new Map<string, { partsToDo: number; since: number }>();
    for (const mutation of mutations) {
      const before = this.#seen.get(mutationKey(mutation));
      const isMoving = mutation.isRunning || before?.partsToDo !== mutation.partsToDo;
      seen.set(mutationKey(mutation), {
        partsToDo: mutation.partsToDo,
        since: isMoving || !before ? now : before.since,
      });
    }
    this.#seen = seen;
    const isStuck = (mutation: UnfinishedMutation) =>
      mutation.hasFailed || now - (seen.get(mutationKey(mutation))?.since ?? now) >= MUTATION_PATIENCE_MS;
    return mutations.filter(isStuck);
  }
}

export function createWarehouseHealth(): WarehouseHealth {
  const progress = new MutationProgress();
  let failedMerges: readonly FailedMerge[] = [];
  let problems: readonly WarehouseProblem[] = [];
  let figures: WarehouseFigures | null = null;
  return {
    problems: () => problems,
    figures: () => figures,
    failedMerges: () => failedMerges,
    update: (findings, now) => {
      failedMerges = findings.failedMerges;
      const { fullest, detached } = findings;
      const stuck = progress.update(findings.mutations, now);
      const nearlyFull = fullest.filter((partition) => partsRatio(partition) >= NEAR_LIMIT);
      problems = [
        ...failedMerges.map(describeMerge),
        ...stuck.map(describeMutation),
        ...nearlyFull.map(describePartition),
        ...detached.map(describeDetached),
      ].slice(0, MAX_PROBLEMS);
      figures = {
        failingMerges: failedMerges.length,
        stuckMutations: stuck.length,
        partsRatio: Math.max(0, ...fullest.map(partsRatio)),
        detachedParts: detached.reduce((sum, { parts }) => sum + parts, 0),
      };
    },
    forget: () => {
      failedMerges = [];
      problems = [];
      figures = null;
    },
  };
}
