/** Whether a finger reaches every control, each has a name for people who do not see it, and nothing moves without need. */
import type { Page } from "playwright-core";

/** Pixels. */
const MIN_HEIGHT = 32;
const MIN_WIDTH = 24;

const CONTROLS =
  "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=option], [role=slider], [role=tab]";

/**
 * A link within a sentence is as high as its line (WCAG 2.5.8 leaves it out too). A control is as large as its label, or as what
 * is drawn over it to be pressed.
 * @returns the controls that are lower than 32 pixels or narrower than 24
 */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(
    ([controls, minHeight, minWidth]) => {
      const isInSentence = (one: Element) =>
        one.matches("a") &&
        getComputedStyle(one).display === "inline" &&
        [...(one.parentElement?.childNodes ?? [])].some(
          (node) => node.nodeType === Node.TEXT_NODE && /\w/.test(node.textContent ?? ""),
        );
      const isHidden = (one: Element) => {
        if (!one.checkVisibility({ opacityProperty: false, visibilityProperty: true })) return true;
        const { width, height, bottom } = one.getBoundingClientRect();
        // the link that skips the navigation is above the page until it has the focus
        return width <= 1 || height <= 1 || bottom + scrollY <= 0;
      };
      const sizeOf = (one: Element) => {
        const label = one instanceof HTMLInputElement ? one.labels?.[0] : undefined;
        const boxes = [one, ...(label ? [label] : [])].map((part) => part.getBoundingClientRect());
        const overlay = getComputedStyle(one, "::after");
        const drawn = overlay.position === "absolute" && overlay.content !== "none" ? overlay : null;
        return {
          width: Math.max(...boxes.map(({ width }) => width), Number.parseFloat(drawn?.width ?? "0")),
          height: Math.max(...boxes.map(({ height }) => height), Number.parseFloat(drawn?.height ?? "0")),
        };
      };
      return [...document.querySelectorAll(controls)]
        .filter((one) => !isHidden(one) && !isInSentence(one))
        .map((one) => ({ one, ...sizeOf(one) }))
        .filter(({ width, height }) => height < minHeight - 0.5 || width < minWidth - 0.5)
        .map(
          ({ one, width, height }) =>
            `${Math.round(width)} × ${Math.round(height)}: ${one.outerHTML.replace(/\s+/g, " ").slice(0, 160)}`,
        );
    },
    [CONTROLS, MIN_HEIGHT, MIN_WIDTH] as const,
  );

const INTERACTIVE =
  /^(?:button|checkbox|combobox|link|listbox|menuitem|option|radio|searchbox|slider|spinbutton|switch|tab|textbox)$/;
/** A name that says what the thing is and not what it does. */
const EMPTY_NAMES = /^(?:button|link|icon|image|here|click here|more|option)$/i;
/** As `Shop Shop`. */
const DOUBLED = /^(\S.*?)\s+\1$/;

/** Rows of a list are told apart by their places. */
const ROWS = /^(?:option|tab)$/;

interface AriaNode {
  readonly role: string;
  readonly name: string;
  /** The nodes around it, by their lines. */
  readonly parent: string;
  /** Where a link leads. */
  url: string;
}

/** Reads the lines of Playwright's snapshot of the accessibility tree, such as `  - link "Sources":`. */
function readNodes(snapshot: string): AriaNode[] {
  const nodes: AriaNode[] = [];
  const path: string[] = [];
  for (const [at, line] of snapshot.split("\n").entries()) {
    const [, indent = "", rest = ""] = /^(\s*)- (.*)$/.exec(line) ?? [];
    const depth = indent.length / 2;
    if (rest.startsWith("/url:")) {
      const link = nodes.at(-1);
      if (link) link.url = rest;
      continue;
    }
    const text = rest.startsWith("'")
      ? rest
          .slice(1)
          .replace(/'(?=:?$|: )/, "")
          .replaceAll("''", "'")
      : rest;
    const [, role = "", name = ""] = /^(\w+)(?: ("(?:[^"\\]|\\.)*"))?/.exec(text) ?? [];
    path.length = depth;
    nodes.push({ role, name: name === "" ? "" : JSON.parse(name), parent: path.join("/"), url: "" });
    path[depth] = `${at}`;
  }
  return nodes;
}

/** @returns controls without a name, with one that says nothing or twice the same, or with that of a neighbour that does something else */
export async function poorNames(page: Page): Promise<string[]> {
  const nodes = readNodes(await page.locator("body").ariaSnapshot());
  const controls = nodes.filter(({ role }) => INTERACTIVE.test(role));
  const poor = controls.flatMap(({ role, name }) =>
    name.trim() === ""
      ? [`${role} without a name`]
      : EMPTY_NAMES.test(name) || DOUBLED.test(name)
        ? [`${role} ${JSON.stringify(name)}`]
        : [],
  );
  const apart = controls.filter(({ role }) => !ROWS.test(role));
  const alike = Map.groupBy(
    apart,
    ({ role, name, parent }) => `${role} ${JSON.stringify(name)} in ${parent}`,
  );
  for (const [key, same] of alike)
    if (
      same.length > 1 &&
      new Set(same.map(({ url }) => url)).size === (same[0]?.url === "" ? 1 : same.length)
    )
      poor.push(`${same.length} × ${key.replace(/ in [\d/]*$/, "")}`);
  return poor;
}

/** @returns the elements with an animation or a transition, or that scroll smoothly */
export const movingParts = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll("*")].flatMap((one) =>
      [null, "::before", "::after"].flatMap((pseudo) => {
        const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(one, pseudo);
        const isStill = animationName === "none" && /^0s(?:, 0s)*$/.test(transitionDuration);
        return isStill && scrollBehavior === "auto"
          ? []
          : [`moves: ${one.outerHTML.slice(0, 120)}${pseudo ?? ""}`];
      }),
    ),
  );
