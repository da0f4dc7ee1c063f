/** The lines of a text field that holds one value per line. */
export const parseLines = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** @returns what is wrong with a line; null: nothing */
export type CheckLine = (line: string) => string | null;

export const areValidLines = (text: string, check: CheckLine): boolean =>
  parseLines(text).every((line) => check(line) === null);

/** More lines are only counted. */
const MAX_NAMED = 3;

/**
 * @param issueAt the API's message about the line at that index, of those that are not empty
 * @returns for example `Line 2 (office): Enter an IP address`, one for each wrong line
 */
export function describeLines(
  text: string,
  check: CheckLine,
  issueAt: (index: number) => string | null,
): string[] {
  let index = -1;
  const wrong = text.split("\n").flatMap((raw, at) => {
    const line = raw.trim();
    if (line === "") return [];
    index += 1;
    const problem = check(line) ?? issueAt(index);
    return problem === null ? [] : [`Line ${at + 1} (${line}): ${problem}`];
  });
  const more = wrong.length - MAX_NAMED;
  return more > 0
    ? [
        ...wrong.slice(0, MAX_NAMED),
        `${more} more ${more === 1 ? "line has an error" : "lines have errors"}.`,
      ]
    : wrong;
}
