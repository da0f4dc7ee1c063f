/** The picture before a value in a list: a flag, a logo or a device. None of them comes from another host. */
import type { StatsDimension, StatsScalar } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { Icon, type IconName, Outline } from "../../../ui/icon.tsx";
import { BRAND_ICONS } from "./brand-icons.ts";

/** Which dimensions have pictures. */
export const hasIcons = (dimension: StatsDimension): boolean =>
  ["country", "browser", "os", "device", "source", "referrer"].includes(dimension);

const DEVICE_ICONS: Readonly<Record<string, IconName>> = {
  desktop: "desktop",
  mobile: "mobile",
  tablet: "tablet",
  tv: "tv",
  console: "gamepad",
  car: "car",
};

/** Logos by the beginning of a name, in lower case: `google.com` and `Google` both have Google's. */
const BRANDS = Object.entries(BRAND_ICONS).map(([name, path]) => [name.toLowerCase(), path] as const);
/** Names whose logo has another name. */
const ALIASES: readonly (readonly [RegExp, string])[] = [
  [/^(?:mac ?os|ios|ipados|os x)/i, "apple"],
  [/^(?:t\.co|twitter|x\.com)$/i, "x"],
  [/^news\.ycombinator/i, "hacker news"],
  [/chrome|chromium/i, "chrome"],
  [/safari/i, "safari"],
  [/^chatgpt/i, "openai"],
];

function brandOf(name: string): string | undefined {
  const alias = ALIASES.find(([pattern]) => pattern.test(name))?.[1];
  const wanted = (alias ?? name).toLowerCase().replace(/^(?:www|m|l)\./, "");
  return BRANDS.find(([brand]) => (brand.length > 1 ? wanted.startsWith(brand) : wanted === brand))?.[1];
}

function Flag({ code }: { readonly code: string }) {
  // all flags are one file, which is loaded when the first is shown
  const { data } = useQuery({
    queryKey: ["flags"],
    queryFn: async () => import("./flags.ts"),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const source = data?.flagOf(code);
  return source ? (
    <img className="flag" src={source} width={18} height={12} alt="" />
  ) : (
    <span className="flag" />
  );
}

interface ValueIconProps {
  readonly dimension: StatsDimension;
  readonly value: StatsScalar;
}

export function ValueIcon({ dimension, value }: ValueIconProps) {
  const name = value === null ? "" : String(value);
  if (dimension === "country") return name === "" ? <Icon name="world" /> : <Flag code={name} />;
  if (dimension === "device") return <Icon name={DEVICE_ICONS[name] ?? "desktop"} />;
  const brand = brandOf(name);
  if (brand !== undefined) return <Outline path={brand} />;
  if (dimension === "source" || dimension === "referrer")
    return <Icon name={name === "" ? "link" : "world"} />;
  return <Icon name={dimension === "browser" ? "world" : "desktop"} />;
}
