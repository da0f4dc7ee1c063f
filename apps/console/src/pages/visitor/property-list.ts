/** The properties of an event, for its row. Pure. */
import { formatMoney } from "../../ui/format-count.ts";

/** A row shows no more than this; the opened event shows all. */
const MAX_PROPERTIES = 12;
const MAX_VALUE_LENGTH = 80;

interface ShownProperty {
  readonly name: string;
  readonly value: string;
}

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const CURRENCY_CODE = /^[A-Z]{3}$/;

/** @returns for example `€12.50`; null: the value is not an amount of money */
const moneyOf = ({ amount, currency, ...others }: Record<string, unknown>): string | null =>
  typeof amount === "number" &&
  typeof currency === "string" &&
  CURRENCY_CODE.test(currency) &&
  Object.keys(others).length === 0
    ? formatMoney(amount, currency)
    : null;

function* flatten(values: Readonly<Record<string, unknown>>, prefix: string): Generator<ShownProperty> {
  for (const [name, value] of Object.entries(values)) {
    const money = isGroup(value) ? moneyOf(value) : null;
    if (isGroup(value) && money === null) yield* flatten(value, `${prefix}${name}.`);
    else {
      const text = money ?? (typeof value === "string" ? value : JSON.stringify(value));
      yield { name: prefix + name, value: text.slice(0, MAX_VALUE_LENGTH).toWellFormed() };
    }
  }
}

/** @returns the first properties; those of a nested object as `cart.size` */
export const propertiesOf = (properties: Readonly<Record<string, unknown>>): ShownProperty[] =>
  [...flatten(properties, "")].slice(0, MAX_PROPERTIES);
