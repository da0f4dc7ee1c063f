/** Accessibility checks with axe. */
import axe from "axe-core";
import type { Page } from "playwright-core";

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Waits until all finite animations have ended, so that positions and colours are final. */
export const animationsEnded = (page: Page) =>
  page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ effect, playState }) =>
          playState !== "running" || effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY,
      ),
  );

const SERIOUS = ["serious", "critical"];
const ALL = [...SERIOUS, "moderate", "minor"];

async function findingsOf(
  page: Page,
  rules: readonly string[] | null,
  impacts: readonly string[],
): Promise<string[]> {
  await animationsEnded(page);
  // half a megabyte of script: once per page, not once per check
  if (!(await page.evaluate("window.axe !== undefined"))) await page.evaluate(axe.source);
  const options = { resultTypes: ["violations"], ...(rules ? { runOnly: rules } : {}) };
  const found = `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`;
  const findings = (await page.evaluate(found)) as Finding[];
  return findings
    .filter(({ impact }) => impacts.includes(String(impact)))
    .map(({ id, nodes }) => `${id} (${nodes.length}): ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}

/** @returns the serious and critical violations, each with its first occurrence */
export const seriousFindings = (page: Page, rules: readonly string[] | null = null): Promise<string[]> =>
  findingsOf(page, rules, SERIOUS);

/** @returns all violations, each with its first occurrence */
export const allFindings = (page: Page, rules: readonly string[] | null = null): Promise<string[]> =>
  findingsOf(page, rules, ALL);

/** The dark scheme changes only colours, so only contrast is checked again. */
export const SCHEMES = [
  { colorScheme: "light", rules: null },
  { colorScheme: "dark", rules: ["color-contrast"] },
] as const;
