/** Reads the text of `/metrics`. */

/** The value of one series, such as `headwater_ready`, or of all series of a name whose labels contain the text. */
export function metricValue(text: string, name: string, labels = ""): number | null {
  const values = text
    .split("\n")
    .filter((line) => line.startsWith(`${name} `) || (line.startsWith(`${name}{`) && line.includes(labels)))
    .map((line) => Number(line.slice(line.lastIndexOf(" ") + 1)));
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
}

/** The names of the metrics that the text has, with or without values. */
export const metricNames = (text: string): string[] =>
  [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name);

/** Every series of a counter or histogram, with its value. */
export function counterSeries(text: string): Map<string, number> {
  const counted = [...text.matchAll(/^# TYPE (\S+) (?:counter|histogram)$/gm)].map(([, name = ""]) => name);
  const isCounted = (series: string) =>
    counted.some((name) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`].includes(series));
  return new Map(
    text
      .split("\n")
      .filter((line) => isCounted(/^[^{ ]+/.exec(line)?.[0] ?? ""))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );
}
