/** The results of one part of the bench: tables for results/<part>.md and raw figures for results.json. */
import type { AttackName } from "./options.ts";
import type { ClosedLoopResult } from "./wrk.ts";

export interface ResultTable {
  columns: string[];
  rows: string[][];
}

export interface BenchSection {
  title: string;
  /** The time of the run, ISO 8601. */
  date: string;
  /** The settings that differ from the defaults. */
  settings: Record<string, string>;
  tables: ResultTable[];
  notes: string[];
  /** The raw figures for results.json. */
  data: unknown;
}

export interface BenchOptions {
  quick: boolean;
  only: readonly string[];
  attacks: readonly AttackName[];
  /** The sizes of the part scale, in millions of events. */
  millions: readonly number[];
  seconds: number;
  rounds: number;
  out: string;
}

/** Prints one line of progress. */
type ReportProgress = (line: string) => void;

export interface BenchContext {
  options: BenchOptions;
  say: ReportProgress;
  /** The closed loop's rate at ten events per batch, when an earlier part has measured it. */
  peak: { requestsPerSecond: number | null };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Formats a number with about three significant digits. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "-";
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(size >= 10 ? 1 : 2);
}

export const percent = (share: number) => (Number.isFinite(share) ? `${(share * 100).toFixed(1)} %` : "-");

/** The median, with the lowest and the highest value in brackets. */
export function spread(values: readonly number[], show: (value: number) => string = figure): string {
  if (values.length === 0) return "-";
  const range = values.length > 1 ? ` (${show(Math.min(...values))}–${show(Math.max(...values))})` : "";
  return show(median(values)) + range;
}

export const describeTarget = (met: boolean, target: string) => `${target}: ${met ? "met" : "not met"}`;

/** Refused requests and broken connections, summed over the rounds; every row shows them. */
export function describeFailures(loops: readonly ClosedLoopResult[]): string {
  const refused = loops.reduce((sum, loop) => sum + loop.refused, 0);
  const broken = loops.reduce((sum, loop) => sum + loop.broken, 0);
  return refused + broken === 0 ? "0" : `${refused} refused, ${broken} broken`;
}
