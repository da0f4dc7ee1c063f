/** Amounts of money: their currencies and their precision. Pure. */

/** ISO 4217 codes, including those of former currencies. */
const CURRENCIES = new Set(Intl.supportedValuesOf("currency"));
/** Revenue has four decimal places. */
const SCALE = 10_000;

/** @returns the code in capital letters; null when it is not a currency */
export function readCurrency(code: string): string | null {
  const upper = code.toUpperCase();
  return CURRENCIES.has(upper) ? upper : null;
}

export const roundAmount = (amount: number): number => Math.round(amount * SCALE) / SCALE;
