/** What a part of the bench finds: tables for RESULTS.md, and the raw figures for results.json. */
import type { ClosedLoop } from "./wrk.ts";

export interface Table {
  columns: string[];
  rows: string[][];
}

export interface Section {
  title: string;
  /** The date of the run, its settings beyond the defaults, and the host's part in it. */
  date: string;
  settings: Record<string, string>;
  tables: Table[];
  notes: string[];
  data: unknown;
}

export interface Options {
  quick: boolean;
  only: readonly string[];
  seconds: number;
  rounds: number;
  out: string;
}

/** Told what goes on, a line each. */
export type Say = (line: string) => void;

export interface Context {
  options: Options;
  say: Say;
  /** What an earlier part found: the closed loop's rate at ten events a batch. */
  peak: { requestsPerSecond: number | null };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** As few digits as the figure bears. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "-";
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(size >= 10 ? 1 : 2);
}

export const percent = (share: number) => (Number.isFinite(share) ? `${(share * 100).toFixed(1)} %` : "-");

/** The median, and the lowest and highest beside it. */
export function spread(values: readonly number[], show: (value: number) => string = figure): string {
  if (values.length === 0) return "-";
  const range = values.length > 1 ? ` (${show(Math.min(...values))}–${show(Math.max(...values))})` : "";
  return show(median(values)) + range;
}

export const verdict = (met: boolean, target: string) => `${target}: ${met ? "met" : "not met"}`;

/** A row that lost requests says so; a figure without its failures is none. */
export function failuresOf(loops: readonly ClosedLoop[]): string {
  const refused = loops.reduce((sum, loop) => sum + loop.refused, 0);
  const broken = loops.reduce((sum, loop) => sum + loop.broken, 0);
  return refused + broken === 0 ? "0" : `${refused} refused, ${broken} broken`;
}
