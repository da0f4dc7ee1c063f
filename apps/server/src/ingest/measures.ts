/** Reads what stats queries need of an event's properties: its revenue, and the measurements of an engagement report. Pure. */
import { type Event, LIMITS, type Warning } from "@headwater/contract";
import { readCurrency, roundAmount } from "../core/revenue.ts";
import { isJsonObject } from "./json.ts";

/** Columns of the warehouse. A member is left out unless the event has it. */
export interface Measures {
  revenue?: number;
  currency?: string;
  engagedSeconds?: number;
  scrollDepth?: number;
  /** Whether the event violates the tracking plan. */
  planViolation?: boolean;
}

function revenueOf(value: unknown): Measures | null {
  if (!isJsonObject(value)) return null;
  const { amount, currency } = value;
  if (typeof amount !== "number" || Math.abs(amount) > LIMITS.maxRevenue) return null;
  const code = typeof currency === "string" ? readCurrency(currency) : null;
  return code === null ? null : { revenue: roundAmount(amount), currency: code };
}

const isBetween = (value: unknown, max: number): value is number =>
  typeof value === "number" && value >= 0 && value <= max;

function engagementOf({ seconds, scrollDepth }: Record<string, unknown>): Measures {
  return {
    ...(isBetween(seconds, LIMITS.maxEngagedSeconds) ? { engagedSeconds: seconds } : {}),
    ...(isBetween(scrollDepth, 100) ? { scrollDepth: Math.round(scrollDepth) } : {}),
  };
}

const NONE: Measures = {};

/** @param isPassive whether the event is passive: only then it can be an engagement report */
export function measuresOf({ name, properties }: Event, isPassive: boolean, warnings: Warning[]): Measures {
  if (!properties) return NONE;
  const { revenue = null } = properties;
  const isReport = isPassive && name === "engagement";
  if (revenue === null) return isReport ? engagementOf(properties) : NONE;
  const read = revenueOf(revenue);
  if (read === null) warnings.push("revenue_invalid");
  return isReport ? { ...read, ...engagementOf(properties) } : (read ?? NONE);
}
