/** Cells of CSV files that no spreadsheet runs as a formula. Pure. */

/** Signs that begin a formula, also in full-width, small and raised forms. Some spreadsheets drop a tab and read on. */
const SIGN = String.raw`[=+\-@\t＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋−﬩⩵⩶]`;
/** Characters that spreadsheets may drop before the sign: spaces of any kind, invisible characters, and quotes. */
const GAP = String.raw`[\0-\x08\n-\x20\x7f-\xa0\p{Z}\p{Default_Ignorable_Code_Point}\u2800'"]*`;
/** Where a cell begins. In many countries spreadsheets split a line at semicolons, whatever the file says. */
const START = String.raw`(?<=^|[;\t；，])`;
const FORMULA = new RegExp(`${START}(?=${GAP}${SIGN})`, "gu");
const GUARD = new RegExp(`${START}'(?=${GAP}${SIGN})`, "gu");
const LINE_BREAK = /\r\n|[\r\n]/g;

/**
 * The text as a cell (RFC 4180), in one line. An apostrophe before each formula keeps spreadsheets from running it. A text that has
 * one already gets one more, so that `readCsvText` restores it.
 */
export function toCsvCell(text: string): string {
  const safe = text.replace(LINE_BREAK, " ").replace(FORMULA, "'");
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Removes the apostrophes that `toCsvCell` has added, from a cell without its quotes. */
export const readCsvText = (cell: string): string => cell.replace(GUARD, "");
