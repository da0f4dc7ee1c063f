/**
 * Regular expressions of tracking plans, matched in time linear in the text: Thompson's simulation of an automaton, which
 * never backtracks. JavaScript's own matcher can take years for a pattern such as `(a+)+$`, and users write plans.
 */
import { LIMITS } from "@headwater/contract";

/** One alternative of what comes next. `char` consumes a character, the others none. */
type PatternStep =
  | { readonly kind: "char"; readonly accepts: (codePoint: number) => boolean; readonly next: number }
  | { readonly kind: "split"; readonly targets: readonly number[] }
  | { readonly kind: "start" | "end"; readonly next: number }
  | { readonly kind: "match" };

/** Adds instructions that continue at `next`, and returns the first of them. */
type Fragment = (next: number) => number;

interface LinearPattern {
  test(text: string): boolean;
  /** The pattern. ajv tells patterns apart by it. */
  toString(): string;
}

/** How many states the patterns of an event may still visit. Patterns that share one cannot take longer together. */
export interface PatternBudget {
  left: number;
}

/** Why a pattern is refused. */
export class PatternError extends Error {}

const TOKEN =
  /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\c[A-Za-z]|\\.|\[(?:\\.|[^\]\\])*\]|\(\?<[A-Za-z_$][\w$]*>|\(\?:|\(\?|[()|^$]|[*+?]\??|\{\d+(?:,\d*)?\}\??|./gsu;
const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??$/;
const UNSUPPORTED = /^(?:\(\?$|\\[1-9bBk])/;

/** The least and the greatest number of repetitions. null: the token is not a quantifier. */
function readQuantifier(token: string): { min: number; max: number } | null {
  const parts = QUANTIFIER.exec(token);
  if (!parts) return null;
  const [, least, comma, most] = parts;
  if (least === undefined)
    return { min: token.startsWith("+") ? 1 : 0, max: token.startsWith("?") ? 1 : Number.POSITIVE_INFINITY };
  const min = Number(least);
  return { min, max: comma === "" ? min : most === "" ? Number.POSITIVE_INFINITY : Number(most) };
}

const ASCII_CHARACTERS = 128;

/** For a single character JavaScript's own matcher is safe. Its answers for ASCII are kept in a table. */
function readCharacter(token: string): (codePoint: number) => boolean {
  const own = new RegExp(`^(?:${token})$`, "u");
  const ascii = Array.from({ length: ASCII_CHARACTERS }, (_, code) => own.test(String.fromCharCode(code)));
  return (codePoint) => ascii[codePoint] ?? own.test(String.fromCodePoint(codePoint));
}

/** Collects the instructions of a program, up to its limit. */
function createProgram() {
  const program: PatternStep[] = [];
  const add = (instruction: PatternStep): number => {
    if (program.length >= LIMITS.maxPlanPatternSize)
      throw new PatternError(
        `needs more than ${LIMITS.maxPlanPatternSize} steps; repeat less, or use maxLength`,
      );
    return program.push(instruction) - 1;
  };
  const sequence =
    (parts: readonly Fragment[]): Fragment =>
    (next) =>
      parts.reduceRight((following, part) => part(following), next);
  const choice =
    (parts: readonly Fragment[]): Fragment =>
    (next) =>
      add({ kind: "split", targets: parts.map((part) => part(next)) });
  const anyTimes =
    (part: Fragment): Fragment =>
    (next) => {
      const targets = [next];
      const split = add({ kind: "split", targets });
      targets.push(part(split));
      return split;
    };
  const repeat = (part: Fragment, { min, max }: { min: number; max: number }): Fragment => {
    if (
      min > LIMITS.maxPlanPatternSize ||
      (max !== Number.POSITIVE_INFINITY && max > LIMITS.maxPlanPatternSize)
    )
      throw new PatternError(`repeats more than ${LIMITS.maxPlanPatternSize} times; use maxLength`);
    const required = Array.from({ length: min }, () => part);
    if (max === Number.POSITIVE_INFINITY) return sequence([...required, anyTimes(part)]);
    // each further repetition needs the one before it
    return (next) => {
      let rest = next;
      for (let at = min; at < max; at++) rest = add({ kind: "split", targets: [part(rest), next] });
      return sequence(required)(rest);
    };
  };
  return { program, add, sequence, choice, repeat };
}

/** Reads tokens into a fragment, by recursive descent. */
function readFragment(
  tokens: readonly string[],
  { add, sequence, choice, repeat }: ReturnType<typeof createProgram>,
) {
  let at = 0;
  const readAtom = (token: string): Fragment => {
    if (token === "^") return (next) => add({ kind: "start", next });
    if (token === "$") return (next) => add({ kind: "end", next });
    if (token.startsWith("(")) {
      const inner = readChoice();
      at += 1; // the closing parenthesis, which JavaScript's own parser has found
      // an instruction of its own, so that repeating an empty group grows the program too
      return (next) => add({ kind: "split", targets: [inner(next)] });
    }
    const accepts = readCharacter(token);
    return (next) => add({ kind: "char", accepts, next });
  };
  const readSequence = (): Fragment => {
    const parts: Fragment[] = [];
    for (let token = tokens[at]; token !== undefined && token !== "|" && token !== ")"; token = tokens[at]) {
      at += 1;
      if (UNSUPPORTED.test(token))
        throw new PatternError(`uses ${token}: lookaround, \\b and backreferences are not supported`);
      const atom = readAtom(token);
      const quantifier = readQuantifier(tokens[at] ?? "");
      if (quantifier) at += 1;
      parts.push(quantifier ? repeat(atom, quantifier) : atom);
    }
    return sequence(parts);
  };
  const readChoice = (): Fragment => {
    const parts = [readSequence()];
    while (tokens[at] === "|") {
      at += 1;
      parts.push(readSequence());
    }
    return parts.length === 1 ? sequence(parts) : choice(parts);
  };
  return readChoice();
}

/** Runs the program on a text. A match may begin at any character. There is none once the budget is used up. */
function run(program: readonly PatternStep[], first: number, text: string, budget: PatternBudget): boolean {
  /** The step at which each instruction was last added, so that a step adds it once. */
  const addedAt = new Int32Array(program.length).fill(-1);
  const open: number[] = [];
  const isAnchored = program[first]?.kind === "start";
  let current: number[] = [];
  /** Follows the instructions that consume nothing. @returns whether the program has matched */
  const enter = (from: number, at: number): boolean => {
    open.push(from);
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      const instruction = program[index];
      if (instruction === undefined || addedAt[index] === at) continue;
      addedAt[index] = at;
      budget.left -= 1;
      if (instruction.kind === "match") return true;
      if (instruction.kind === "char") current.push(index);
      else if (instruction.kind === "split") open.push(...instruction.targets);
      else if (at === (instruction.kind === "start" ? 0 : text.length)) open.push(instruction.next);
    }
    return false;
  };
  if (enter(first, 0)) return true;
  for (let at = 0; at < text.length; ) {
    const codePoint = text.codePointAt(at) ?? 0;
    at += codePoint > 0xffff ? 2 : 1;
    const previous = current;
    budget.left -= previous.length;
    if (budget.left <= 0) return false;
    current = [];
    for (const index of previous) {
      const instruction = program[index];
      if (instruction?.kind === "char" && instruction.accepts(codePoint) && enter(instruction.next, at))
        return true;
    }
    if (isAnchored && current.length === 0) return false;
    if (!isAnchored && enter(first, at)) return true;
  }
  return false;
}

/** @throws PatternError when the pattern is not valid, or cannot be matched in linear time */
export function compilePattern(
  source: string,
  budget: PatternBudget = { left: Number.POSITIVE_INFINITY },
): LinearPattern {
  if (source.length > LIMITS.maxPlanPatternLength)
    throw new PatternError(`has more than ${LIMITS.maxPlanPatternLength} characters`);
  try {
    new RegExp(source, "u");
  } catch {
    throw new PatternError("is not a regular expression");
  }
  const built = createProgram();
  const fragment = readFragment(source.match(TOKEN) ?? [], built);
  const first = fragment(built.add({ kind: "match" }));
  return { test: (text) => run(built.program, first, text, budget), toString: () => source };
}
