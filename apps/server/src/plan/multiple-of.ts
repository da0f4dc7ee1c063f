/** `multipleOf` by decimal digits: 19.99 is a multiple of 0.01, although the quotient of the doubles is no integer. */

/** A number is its digits times a power of ten: 19.99 is 1999 and -2. */
function decimalOf(value: number): { digits: bigint; exponent: number } {
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Integers and powers of ten up to these are exact in a double, and so is their rounded quotient. */
const MAX_EXACT_DIGITS = 1e15;
const MAX_EXACT_POWER = 22;

/** @param divisor greater than 0 */
export function multipleCheck(divisor: number): (value: number) => boolean {
  const unit = decimalOf(divisor);
  const power = unit.exponent <= 0 && unit.exponent >= -MAX_EXACT_POWER ? 10 ** -unit.exponent : Number.NaN;
  const unitDigits = Number(unit.digits);
  return (value) => {
    const nearest = Math.round(value / divisor) * unitDigits;
    if (Math.abs(nearest) <= MAX_EXACT_DIGITS && power >= 1) return nearest / power === value;
    const { digits, exponent } = decimalOf(value);
    const least = Math.min(exponent, unit.exponent);
    const scale = (part: bigint, by: number) => part * 10n ** BigInt(by - least);
    return scale(digits, exponent) % scale(unit.digits, unit.exponent) === 0n;
  };
}
