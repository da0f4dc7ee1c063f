/**
 * Which expectations of the tracking plan events have violated, by source, in bounded memory, until they are stored. No value is
 * kept, and a page only once three sessions have sent a violation from it, so that an erasure need not search them.
 */
import { LIMITS } from "@headwater/contract";
import { copyText } from "../core/text.ts";
import type { PlanViolationRecord } from "../ledger/records.ts";
import { maskString } from "../masking/mask.ts";
import { noteSession, type SessionsOfText, sharedTexts } from "./sessions-of-text.ts";

/** Violations of tracking plans that a node has not stored yet, with up to 20 pages of about 300 bytes each. */
const LEARNED_VIOLATIONS = 2_000;

/** An event that has violated the plan. */
export interface SeenViolation {
  readonly event: string;
  readonly path: string;
  readonly expected: string;
  /** The type of what was found instead. */
  readonly foundType: string;
  readonly sessionId: string;
  readonly clientVersion: string | null;
  /** The path of the page. */
  readonly page: string | null;
}

interface LearnedViolation {
  readonly violation: Pick<SeenViolation, "event" | "path" | "expected" | "foundType">;
  count: number;
  firstSeenAt: number;
  lastSeenAt: number;
  readonly clientVersions: Set<string>;
  readonly pages: SessionsOfText;
}

const toRecord = ({
  violation,
  count,
  firstSeenAt,
  lastSeenAt,
  ...sent
}: LearnedViolation): PlanViolationRecord => ({
  event: maskString(violation.event),
  path: maskString(violation.path),
  expected: violation.expected,
  found: violation.foundType,
  count,
  firstSeenAt,
  lastSeenAt,
  clientVersions: [...sent.clientVersions].map(maskString),
  pages: sharedTexts(sent.pages).map(maskString),
});

export function createViolationLearner() {
  const sources = new Map<string, Map<string, LearnedViolation>>();
  let entries = 0;

  const find = (sourceId: string, violation: SeenViolation, at: number): LearnedViolation | undefined => {
    const known = sources.get(sourceId) ?? new Map<string, LearnedViolation>();
    sources.set(sourceId, known);
    const key = JSON.stringify([violation.event, violation.path, violation.expected]);
    const found = known.get(key);
    if (found || known.size >= LIMITS.maxPlanViolations || entries >= LEARNED_VIOLATIONS) return found;
    const { event, path, expected, foundType } = violation;
    const learned = {
      violation: { event, path, expected, foundType },
      count: 0,
      firstSeenAt: at,
      lastSeenAt: at,
      clientVersions: new Set<string>(),
      pages: new Map(),
    };
    known.set(key, learned);
    entries += 1;
    return learned;
  };

  const see = (sourceId: string, violation: SeenViolation, at: number) => {
    const learned = find(sourceId, violation, at);
    if (!learned) return;
    const { clientVersion, page, sessionId } = violation;
    if (learned.count === 0) learned.firstSeenAt = at;
    learned.count += 1;
    learned.lastSeenAt = Math.max(learned.lastSeenAt, at);
    if (clientVersion !== null && learned.clientVersions.size < LIMITS.maxCatalogVersions)
      learned.clientVersions.add(
        copyText(clientVersion.slice(0, LIMITS.maxCatalogExampleLength).toWellFormed()),
      );
    if (page !== null && page.length <= LIMITS.maxCatalogPathLength)
      noteSession(learned.pages, page, sessionId, 2 * LIMITS.maxCatalogPages);
  };

  /** Takes the violations that were seen since the last call, by source. */
  const take = () => {
    const taken = new Map<string, PlanViolationRecord[]>();
    for (const [sourceId, known] of sources) {
      const seen = [...known.values()].filter(({ count }) => count > 0);
      if (seen.length > 0) taken.set(sourceId, seen.map(toRecord));
      // the record stays: a page is stored only once enough sessions have sent it
      for (const learned of seen) learned.count = 0;
      if (known.size < LIMITS.maxPlanViolations && entries < LEARNED_VIOLATIONS / 2) continue;
      sources.delete(sourceId);
      entries -= known.size;
    }
    return taken;
  };
  return { see, take };
}
