/** Names browser, operating system and kind of device from a user agent and client hints. Pure. */
import {
  BRAND_BROWSERS,
  DEVICE_TYPES,
  type DeviceType,
  OPERATING_SYSTEMS,
  WORD_BROWSERS,
} from "./device-names.ts";

/** Headers of Chromium about the browser, as they were sent. Each can be missing. */
export interface ClientHints {
  /** `Sec-CH-UA-Full-Version-List`, else `Sec-CH-UA`. */
  readonly brands: string | null;
  /** `Sec-CH-UA-Mobile`: `?1` or `?0`. */
  readonly mobile: string | null;
  readonly platform: string | null;
  readonly platformVersion: string | null;
  readonly model: string | null;
}

export interface DetectedDevice {
  /** A `DeviceType`; imported events can have other texts. */
  readonly device: string | null;
  readonly os: string | null;
  readonly osVersion: string | null;
  readonly browser: string | null;
  readonly browserVersion: string | null;
}

/** `18_7_1`, `131.0.6778.39` and `14.0` as people write them: 18.7, 131 and 14. */
function shortVersion(version: string | undefined): string | null {
  const [, major, minor] = /^v?(\d{1,9})(?:[._](\d{1,9}))?/.exec(version ?? "") ?? [];
  if (major === undefined) return null;
  return minor === undefined || Number(minor) === 0 ? major : `${major}.${minor}`;
}

/** The words and versions of a user agent: `Chrome/131.0` and `Instagram 300.1` are two each. */
const SEPARATORS = /[ /;,()[\]]+|_(?=\d)/;
/** Longer numbers are builds: `musical_ly_2022704050`. */
const VERSION = /^v?\d{1,5}(?!\d)/;

interface NamedWord {
  /** The number of the word's row in `WORD_BROWSERS`. */
  readonly row: number;
  readonly browser: string;
}

const BROWSERS_BY_WORD = new Map(
  WORD_BROWSERS.flatMap(([browser, ...words], row) =>
    words.map((word): [string, NamedWord] => [word, { row, browser }]),
  ),
);

/** The comment about the system can have the name of a model, such as "motorola edge". */
const SYSTEM_COMMENT = /Mozilla\/[\d.]+ \([^)]*\)/;
const INTERNET_EXPLORER = /MSIE (\d+)|Trident\/.*rv:(\d+)/;

type NamedVersion = readonly [name: string | null, version: string | null];

/** The browser that the first row of `WORD_BROWSERS` with a word of the user agent names. */
function namedBrowser(userAgent: string): NamedVersion | null {
  const words = userAgent.replace(SYSTEM_COMMENT, "").replaceAll(" Browser", "Browser").split(SEPARATORS);
  let best: { readonly named: NamedWord; readonly version: string | null } | null = null;
  for (const [index, word] of words.entries()) {
    const named = BROWSERS_BY_WORD.get(word.toLowerCase());
    if (named === undefined || (best !== null && named.row > best.named.row)) continue;
    const next = words[index + 1] ?? "";
    const version = VERSION.test(next) ? shortVersion(next) : null;
    if (best === null || named.row < best.named.row || best.version === null) best = { named, version };
  }
  return best && [best.named.browser, best.version];
}

function browserOf(userAgent: string, os: string | null): NamedVersion {
  const named = namedBrowser(userAgent);
  if (named) return named;
  const explorer = INTERNET_EXPLORER.exec(userAgent);
  if (explorer) return ["Internet Explorer", explorer[1] ?? explorer[2] ?? null];
  const version = shortVersion(/\bVersion\/([\d.]+)/.exec(userAgent)?.[1]);
  if (os === "Android" && version !== null) return ["Android Browser", version];
  if (/\bSafari\//.test(userAgent)) return ["Safari", version];
  // a web view does not name its browser; on iOS all have the engine of Safari
  return [os === "iOS" && userAgent.includes("AppleWebKit") ? "Safari" : null, null];
}

/** Versions of Windows NT, by their names. Windows 11 says 10.0 too; only the client hints differ. */
const WINDOWS: Readonly<Record<string, string>> = {
  "10.0": "10",
  "6.3": "8.1",
  "6.2": "8",
  "6.1": "7",
  "6.0": "Vista",
  "5.2": "XP",
  "5.1": "XP",
  "5.0": "2000",
};

function systemOf(userAgent: string): NamedVersion {
  for (const [name, pattern] of OPERATING_SYSTEMS) {
    const found = pattern.exec(userAgent);
    if (!found) continue;
    const version = found.slice(1).find((group) => group !== undefined);
    return [name, name === "Windows" ? (WINDOWS[version ?? ""] ?? null) : shortVersion(version)];
  }
  return [null, null];
}

/** The part after the version of Android: a language, the model and its build. */
const ANDROID_MODEL = /(Andr[o0]id[^;)]*; ?)([^)]*)/;

function deviceTypeOf(text: string): DeviceType | null {
  const model = ANDROID_MODEL.exec(text)?.[2] ?? "";
  return DEVICE_TYPES.find(([, pattern, part]) => pattern.test(part === "model" ? model : text))?.[0] ?? null;
}

/** A string of structured headers (RFC 8941) without its quotes. */
const unquote = (text: string | null) => text?.replaceAll(/^"|"$/g, "") ?? "";

const PLATFORMS: Readonly<Record<string, string>> = { "Chrome OS": "Chrome OS", "Chromium OS": "Chrome OS" };

/** `Sec-CH-UA-Platform-Version` of Windows counts releases of its API: 13 and above is Windows 11. */
function hintedSystemVersion(platform: string, version: string): string | null {
  if (platform !== "Windows") return shortVersion(version);
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major >= 13) return "11";
  if (major > 0) return "10";
  return { 1: "7", 2: "8", 3: "8.1" }[minor] ?? null;
}

const BRAND = /"([^"]*)";\s*v="([\d.]*)"/g;

/** The browser among the brands: the one that is neither the engine nor made up. */
function hintedBrowser(brands: string): NamedVersion | null {
  for (const [, brand = "", version] of brands.matchAll(BRAND)) {
    const name = BRAND_BROWSERS[brand];
    if (name !== undefined) return [name, shortVersion(version)];
  }
  return null;
}

/** The user agent with the model of the hint, in place of `K` or of another model. */
const withModel = (userAgent: string, model: string) =>
  ANDROID_MODEL.test(userAgent)
    ? userAgent.replace(ANDROID_MODEL, (_, head: string) => head + model)
    : `${userAgent}; ${model})`;

function applyHints(userAgent: string, seen: DetectedDevice, hints: ClientHints): DetectedDevice {
  const [platform, model] = [unquote(hints.platform), unquote(hints.model)];
  // a program that pretends to be another browser sends the hints of its own
  if (platform !== "" && (PLATFORMS[platform] ?? platform) !== seen.os) return seen;
  const version = unquote(hints.platformVersion);
  const osVersion = version === "" ? null : hintedSystemVersion(platform, version);
  const hinted = seen.browser === "Chrome" ? hintedBrowser(hints.brands ?? "") : null;
  const isTablet = hints.mobile === "?0" && seen.os === "Android" && seen.device === "mobile";
  const byModel = model === "" ? null : deviceTypeOf(withModel(userAgent, model));
  return {
    ...seen,
    device: byModel ?? (isTablet ? "tablet" : seen.device),
    osVersion: osVersion ?? seen.osVersion,
    ...(hinted && { browser: hinted[0], browserVersion: hinted[1] ?? seen.browserVersion }),
  };
}

/** @param hints null: only the user agent is known */
export function detectDevice(userAgent: string, hints: ClientHints | null = null): DetectedDevice {
  const [os, osVersion] = systemOf(userAgent);
  const [browser, browserVersion] = browserOf(userAgent, os);
  const seen = { device: deviceTypeOf(userAgent), os, osVersion, browser, browserVersion };
  return hints ? applyHints(userAgent, seen, hints) : seen;
}

/** The screens of iPads in points, which the browser still reports when an iPad calls itself a Mac. No Mac has them. */
const IPAD_SCREENS = new Set(
  "744x1133 768x1024 810x1080 820x1180 834x1112 834x1194 834x1210 1024x1366 1032x1376".split(" "),
);

/** An iPad asks for desktop pages with the user agent of a Mac: only its screen shows what it is. The system's version is unknown. */
export function correctIpad<Device extends DetectedDevice>(device: Device, screen: string | null): Device {
  const isIpad = device.os === "macOS" && device.browser === "Safari" && IPAD_SCREENS.has(screen ?? "");
  return isIpad ? { ...device, device: "tablet", os: "iOS", osVersion: null } : device;
}
