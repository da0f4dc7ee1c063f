/** The picture before a value in a list: a flag, a logo or a device. None of them comes from another host. */
/// <reference types="vite/client" />
import type { StatsDimension, StatsScalar } from "@headwater/contract";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import brandsUrl from "./brands.svg?url&no-inline";
import { flagOf } from "./flags.ts";

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

/** The logos of `brands.svg`, by the beginning of a name in lower case: `google.com` and `Google` both have Google's. */
const BRANDS = [
  "chrome",
  "firefox",
  "safari",
  "edge",
  "opera",
  "windows",
  "apple",
  "android",
  "ubuntu",
  "debian",
  "google",
  "bing",
  "facebook",
  "x",
  "reddit",
  "github",
  "linkedin",
  "youtube",
  "instagram",
  "tiktok",
  "pinterest",
  "wikipedia",
  "yandex",
  "baidu",
  "yahoo",
  "slack",
  "discord",
  "telegram",
  "whatsapp",
  "medium",
  "mastodon",
  "bluesky",
  "hacker news",
  "openai",
  "stack overflow",
  "product hunt",
  "twitch",
  "threads",
];
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
  return BRANDS.find((brand) => (brand.length > 1 ? wanted.startsWith(brand) : wanted === brand));
}

/** The logos are one file, which is no script. */
const Logo = ({ brand }: { readonly brand: string }) => (
  <svg className="icon" width={16} height={16} viewBox="0 0 24 24" aria-hidden="true">
    <use href={`${brandsUrl}#${brand.replaceAll(" ", "-")}`} />
  </svg>
);

function Flag({ code }: { readonly code: string }) {
  const source = flagOf(code);
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
  if (brand !== undefined) return <Logo brand={brand} />;
  if (dimension === "source" || dimension === "referrer")
    return <Icon name={name === "" ? "link" : "world"} />;
  return <Icon name={dimension === "browser" ? "world" : "desktop"} />;
}
