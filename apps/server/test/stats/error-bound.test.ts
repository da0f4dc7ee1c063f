/** The error bound of estimates that are made from few visitors per row, on visitors that are drawn from a seed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  errorBound,
  estimateCounts,
  type Figure,
  PARTS,
  relativeVariance,
} from "../../src/stats/error-bound.ts";
import { type Random, randomFrom } from "./generated.ts";

const SESSIONS: Figure = { value: ([sessions = 0]) => sessions, divisor: null };
const BOUNCE_RATE: Figure = {
  value: ([sessions = 0, bounces = 0]) => (sessions === 0 ? null : bounces / sessions),
  divisor: ([sessions = 0]) => sessions,
};

interface SampledRow {
  readonly all: number[];
  readonly parts: number[][];
}
interface Drawn {
  /** How many visitors each row has. */
  readonly visitors: readonly number[];
  readonly bounceRate: number;
  /** Default: both. */
  readonly figures?: readonly Figure[];
}
/** Draws the sessions and bounces of a row's visitors, of which one in `sample` is read. */
function rowOf(random: Random, visitors: number, bounceRate: number, sample: number): SampledRow {
  const row: SampledRow = { all: [0, 0], parts: Array.from({ length: PARTS }, () => [0, 0]) };
  for (let visitor = 0; visitor < visitors; visitor++) {
    let [sessions, bounces] = [1, 0];
    while (random() < 0.4) sessions += 1;
    for (let session = 0; session < sessions; session++) if (random() < bounceRate) bounces += 1;
    const counted = [row.all];
    const part = row.parts[Math.floor(random() * PARTS)];
    if (random() < 1 / sample && part) counted.push(part);
    for (const totals of counted) {
      totals[0] = (totals[0] ?? 0) + sessions;
      totals[1] = (totals[1] ?? 0) + bounces;
    }
  }
  return row;
}

/** Whether all figures of an answer with such rows are within the bound. */
function isWithinBound(
  random: Random,
  { visitors, bounceRate, figures: asked = [SESSIONS, BOUNCE_RATE] }: Drawn,
  sample: number,
): boolean {
  const rows = visitors.map((count) => rowOf(random, count, bounceRate, sample));
  const figures = rows.flatMap(({ all, parts }) =>
    asked.map((figure) => {
      const scale = figure === SESSIONS ? sample : 1;
      const read = parts.reduce((sum, part) => sum.map((total, at) => total + (part[at] ?? 0)), [0, 0]);
      const [estimate, exact] = [(figure.value(read) ?? 0) * scale, figure.value(all) ?? 0];
      return { estimate, exact, variance: relativeVariance(sample, parts, figure) };
    }),
  );
  const bound = errorBound(
    sample,
    figures.map(({ variance }) => variance),
  );
  return figures.every(
    ({ estimate, exact }) => estimate === 0 || Math.abs(estimate - exact) <= bound * exact + 1e-9,
  );
}

const repeat = (visitors: number, rows: number) => Array.from({ length: rows }, () => visitors);
const ANSWERS: Record<string, Drawn> = {
  "one row, 800 visitors": { visitors: [800], bounceRate: 0.8 },
  "one row, 80 visitors": { visitors: [80], bounceRate: 0.8 },
  "one row, nearly all bounce": { visitors: [200], bounceRate: 0.98, figures: [BOUNCE_RATE] },
  "eight rows, 400 visitors each": { visitors: repeat(400, 8), bounceRate: 0.5 },
  "thirty rows, 40 visitors each": { visitors: repeat(40, 30), bounceRate: 0.8 },
  "a long tail": {
    visitors: Array.from({ length: 40 }, (_, rank) => Math.ceil(800 / (rank + 1))),
    bounceRate: 0.8,
  },
};
const DRAWS = 200;

for (const [name, drawn] of Object.entries(ANSWERS))
  test(`All figures are within the bound in 95 of 100 estimates: ${name}.`, () => {
    const random = randomFrom(drawn.visitors.length);
    let within = 0;
    for (let draw = 0; draw < DRAWS; draw++)
      if (isWithinBound(random, drawn, draw % 2 === 0 ? 4 : 16)) within += 1;
    assert.ok(within >= 0.95 * DRAWS, `${within} of ${DRAWS}`);
  });

test("The bound of one figure is two standard errors, and that of many is greater.", () => {
  const { variances } = estimateCounts(16, [10_000]);
  const one = errorBound(16, variances);
  const standardError = Math.sqrt(15 / 16 / 10_000);
  assert.ok(one > 2.13 * standardError && one < 2.2 * standardError, String(one));
  const many = errorBound(16, repeat(variances[0] ?? 0, 20));
  assert.ok(many > 1.5 * one && many < 2 * one, String(many));
});

test("A figure of one visitor may be as many times too great as the sample is smaller.", () => {
  assert.equal(errorBound(64, estimateCounts(64, [10_000, 1]).variances), 63);
});
