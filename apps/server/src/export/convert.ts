/** From lines of JSON to the bytes of a file, a slice at a time. Pure, but that a Parquet file remembers what it holds. */
import type { Json } from "./columns.ts";
import { CSV_HEAD, csvLine } from "./csv.ts";

export interface Converter {
  /** @param lines each with its end @returns nothing yet, when more is needed to go on */
  convert(lines: Uint8Array): Uint8Array<ArrayBuffer>;
  /** What stands at the end of the file. */
  end(): Uint8Array<ArrayBuffer>;
}

/** As one array: parsed at once it costs less than line by line. */
const eventsOf = (lines: Uint8Array): Json[] =>
  JSON.parse(`[${Buffer.from(lines).toString("utf8").trimEnd().replaceAll("\n", ",")}]`);

function csvConverter(isContinued: boolean): Converter {
  let head = isContinued ? "" : CSV_HEAD;
  const withHead = (text: string) => {
    const whole = head + text;
    head = "";
    return new TextEncoder().encode(whole);
  };
  return {
    convert: (lines) => withHead(eventsOf(lines).map(csvLine).join("")),
    end: () => withHead(""),
  };
}

/** @param isContinued the beginning was had before */
export async function createConverter(format: "csv" | "parquet", isContinued: boolean): Promise<Converter> {
  if (format === "csv") return csvConverter(isContinued);
  // its library is loaded only where it is asked for
  const { startParquet } = await import("./parquet.ts");
  const { add, end } = startParquet();
  return { convert: (lines) => add(eventsOf(lines), lines.length), end };
}
