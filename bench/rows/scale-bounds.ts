/** Compares estimates with exact answers: how many estimates are within their error (docs/contract.md section 9). */
import { READ_BUDGET } from "../../apps/server/src/stats/accuracy.ts";
import type { RunQuery } from "../../apps/server/src/stats/run-query.ts";
import { percent, type ResultTable } from "../section.ts";
import type { AnswerFigures, Question } from "./scale-questions.ts";

/** Estimates read this part of the events that a `fast` answer may read. */
const READINGS = [
  { name: "fast", part: 1 },
  { name: "fast, of a sixteenth of the events", part: 1 / 16 },
] as const;

interface Coverage {
  estimates: number;
  within: number;
  figures: number;
  figuresWithin: number;
}

/** Whether each figure is within the error. A figure that is 0 or null has no bound. */
function areWithin({ accuracy, figures }: AnswerFigures, exact: AnswerFigures): boolean[] {
  const error = accuracy.exact ? 0 : accuracy.error;
  return [...figures].flatMap(([name, value]) => {
    const wanted = exact.figures.get(name) ?? 0;
    return value ? [Math.abs(value - wanted) <= error * Math.abs(wanted) + 1e-9] : [];
  });
}

function count(coverage: Coverage | undefined, within: readonly boolean[]): void {
  if (coverage === undefined) return;
  coverage.estimates += 1;
  if (within.every(Boolean)) coverage.within += 1;
  coverage.figures += within.length;
  coverage.figuresWithin += within.filter(Boolean).length;
}

/** Answers as if the warehouse read only a part of the events in the same time. */
async function readLess<Answer>(part: number, answer: () => Promise<Answer>): Promise<Answer> {
  const { eventsPerSecond: normal } = READ_BUDGET;
  const { sessionRollups, eventRollups, bothRollups, events } = normal;
  READ_BUDGET.eventsPerSecond = {
    sessionRollups: sessionRollups * part,
    eventRollups: eventRollups * part,
    bothRollups: bothRollups * part,
    events: events * part,
  };
  try {
    return await answer();
  } finally {
    READ_BUDGET.eventsPerSecond = normal;
  }
}

const share = (within: number, all: number) => `${within} of ${all}: ${percent(within / all)}`;
/** How many questions are answered between two lines of progress. */
const SAY_EACH = 100;
const ALL = "all (target ≥ 95 %)";

/** @returns for each kind of question, how many estimates are within their error with all their figures */
export async function errorBounds(
  run: RunQuery,
  questions: readonly Question[],
  say: (text: string) => void,
): Promise<ResultTable> {
  const kinds = new Map<string, Coverage[]>();
  const coveragesOf = (kind: string): Coverage[] => {
    const found =
      kinds.get(kind) ?? READINGS.map(() => ({ estimates: 0, within: 0, figures: 0, figuresWithin: 0 }));
    kinds.set(kind, found);
    return found;
  };
  let refused = 0;
  for (const [at, { kind, ask }] of questions.entries()) {
    if (at > 0 && at % SAY_EACH === 0) say(`  ${at} of ${questions.length} estimates compared`);
    let exact: AnswerFigures | null = null;
    for (const [index, { part }] of READINGS.entries()) {
      const estimate = await readLess(part, () => ask(run, "fast"));
      if (estimate.accuracy.exact) continue;
      try {
        exact ??= await ask(run, "exact", true);
      } catch {
        refused += 1;
        break;
      }
      const within = areWithin(estimate, exact);
      for (const counted of [ALL, kind]) count(coveragesOf(counted)[index], within);
    }
  }
  const rows = [...kinds].map(([kind, coverages]) => [
    kind,
    ...coverages.map(({ within, estimates }) => share(within, estimates)),
  ]);
  const figures = coveragesOf(ALL).map(({ figuresWithin, figures: all }) => share(figuresWithin, all));
  return {
    columns: ["estimates within their error", ...READINGS.map(({ name }) => name)],
    rows: [
      ...rows,
      ["figures within the error of their answer", ...figures],
      ["questions without an exact answer", ...READINGS.map(() => String(refused))],
    ],
  };
}
