/** Derives device, browser and bot of a visitor from the user agent. */
import { SERVER_LIMITS } from "../core/limits.ts";
import { createLru } from "../core/lru.ts";
import {
  type ClientHints,
  correctIpad,
  type DetectedDevice,
  detectDevice,
} from "../devices/detect-device.ts";
import { membersOf } from "../ledger/outbox-line.ts";
import type { TimeBudget } from "../overload/time-budget.ts";
import { detectBot } from "./detect-bot.ts";
import { sizeText, viewportOf } from "./fit.ts";
import { textOrNull } from "./json.ts";
import type { SenderFacts } from "./sender.ts";

/** Distinct user agents with client hints in use at one time. */
const DEVICE_CACHE_ENTRIES = 5_000;

/** The members of an event's `device`. */
export interface Device extends DetectedDevice {
  isBot: boolean;
}

const UNKNOWN_DEVICE: Device = {
  device: null,
  os: null,
  osVersion: null,
  browser: null,
  browserVersion: null,
  isBot: false,
};

export type DeviceOf = (userAgent: string | null, hints?: ClientHints | null) => Device;

/**
 * The devices of user agents, cached.
 * @param budget the time that detecting may take. The device is unknown when it is used up. Default: no limit
 */
export function createDeviceOf(budget?: TimeBudget): DeviceOf {
  const devices = createLru<string, Device>(DEVICE_CACHE_ENTRIES);
  const detect = (text: string, hints: ClientHints | null): Device => ({
    ...detectDevice(text, hints),
    isBot: detectBot(text),
  });
  return (userAgent, hints = null) => {
    if (!userAgent) return UNKNOWN_DEVICE;
    const text = userAgent.slice(0, SERVER_LIMITS.maxUserAgentLength);
    // no user agent has a NUL, so none is taken for another with its hints
    const key = hints ? [text, ...Object.values(hints)].join("\0") : text;
    const cached = devices.get(key);
    if (cached) return cached;
    const device = budget ? budget.run(() => detect(text, hints)) : detect(text, hints);
    if (device) devices.set(key, device);
    return device ?? UNKNOWN_DEVICE;
  };
}

/** The facts about the visitor in a context. */
export interface Surroundings {
  readonly context: Record<string, unknown> | null;
  /** Members of the normal form, as JSON without the braces. */
  readonly members: string;
  readonly device: Device;
}

export function readSurroundings(context: Record<string, unknown> | null, device: Device): Surroundings {
  const screen = sizeText(context?.screen);
  const members = membersOf({
    locale: textOrNull(context?.locale),
    timezone: textOrNull(context?.timezone),
    screen,
    viewport: context && viewportOf(context),
    context,
  });
  return { context, members, device: correctIpad(device, screen) };
}

/** The user agent that the client names in `context`, else the request's own. A server's own is not the visitor's. */
export const userAgentOf = (
  context: Record<string, unknown> | null,
  { sentBy, userAgent }: Pick<SenderFacts, "sentBy" | "userAgent">,
): string | null => textOrNull(context?.userAgent) ?? (sentBy === "browser" ? userAgent : null);

/** The device of a user agent. Client hints are those of the request, so they say nothing about another user agent. */
export const hintedDeviceOf = (userAgent: string | null, sender: SenderFacts, deviceOf: DeviceOf): Device =>
  deviceOf(userAgent, userAgent === sender.userAgent ? sender.clientHints : null);

/** Whether a host, or a domain that it is a part of, is in the list. */
export function createSpamCheck(hosts: ReadonlySet<string> | null): (host: string) => boolean {
  if (hosts === null) return () => false;
  return (host) => {
    for (let part = host; part !== ""; ) {
      if (hosts.has(part)) return true;
      const dot = part.indexOf(".");
      part = dot < 0 ? "" : part.slice(dot + 1);
    }
    return false;
  };
}
