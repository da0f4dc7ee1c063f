/** A line through figures, in a square of 100 by 100 that is drawn as wide as there is room. */

/** The next number at or above that is as round as its half is: 1, 2, 4, 6, 8, 10, 20, … */
export function ceilingOf(most: number): number {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 4, 6, 8, 10].find((one) => one * power >= most) ?? 10;
  return step * power;
}

export const across = (index: number, length: number) => (length < 2 ? 50 : (index / (length - 1)) * 100);

export function lineOf(values: readonly (number | null)[], top: number): string {
  let isOpen = false;
  return values
    .map((value, index) => {
      if (value === null) {
        isOpen = false;
        return "";
      }
      const step = `${isOpen ? "L" : "M"}${across(index, values.length).toFixed(2)} ${(100 - (value / top) * 100).toFixed(2)}`;
      isOpen = true;
      // a point by itself is a dot
      return values[index - 1] == null && values[index + 1] == null ? `${step}h0` : step;
    })
    .join("");
}
