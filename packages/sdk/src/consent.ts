import { openStore } from "./storage.ts";
import type { Privacy } from "./transport.ts";

export type Consent = "granted" | "denied" | "pending";

/** What comes is dropped. */
export const shut = 0;
/** It waits in memory. */
export const held = 1;
/** It waits for nothing but the source's word that it does not obey Global Privacy Control. */
export const asking = 2;
export const open = 3;
export type GateState = typeof shut | typeof held | typeof asking | typeof open;

/** Whether the visitor may be counted: while that is not known calls wait in memory, and when it is not so they are dropped. */
export interface Gate {
  state(): GateState;
  /** Runs it now when it may be counted, else when it may. */
  pass(run: () => void): void;
  /** What of it a page may call. */
  readonly calls: {
    setConsent(consent: Consent): void;
    /** "Do not count me", of this browser. */
    optOut(): void;
    optIn(): void;
  };
  /** What the source asks for. */
  obey(privacy: Privacy): void;
  /**
   * The page is shown: from its start, after it was prerendered, or again, when the browser had kept it.
   * @param isForgotten whether the visitor is not in the store (any more)
   */
  show(isForgotten: boolean): void;
}

const maxHeld = 1000;
/** Not one of the names that are forgotten, and kept whatever the persistence is: it is the visitor's own wish. */
const optOutName = "headwaterOptOut";

/**
 * @param consent undefined: granted, unless the source requires it. A grant is the visitor's own word, and counts for more
 * than Global Privacy Control, whatever comes first
 * @param respectGpc what the page says of the source; undefined: a visitor with that signal waits for the source's answer
 */
export function createGate(
  consent: Consent | undefined,
  respectGpc: boolean | undefined,
  onChange: (state: GateState, before: GateState) => void,
): Gate {
  const wishes = openStore("local", () => true);
  const hasGpc = navigator.globalPrivacyControl;
  let isAnswered = !hasGpc || respectGpc !== undefined;
  // A tag's attribute is text.
  if (hasGpc && isAnswered && `${respectGpc}` !== "false") consent ??= "denied";
  const waiting: (() => void)[] = [];
  let latest: GateState = held;
  /** "1": not to be counted; "0": taken back, for the pages that remember it. */
  let wish: string | null | undefined;

  function state(): GateState {
    const kept = wishes.read(optOutName);
    if (kept) wish = kept;
    // A site that clears its storage does not undo it.
    else if (wish) wishes.write(optOutName, wish);
    if (consent === "denied" || +wish!) return shut;
    // What is none of the three words is no consent.
    if ((consent !== undefined && consent !== "granted") || document.prerendering) return held;
    return consent || isAnswered ? open : asking;
  }

  function pass(run: () => void): void {
    const now = state();
    if (now === open) run();
    else if (now && waiting.length < maxHeld) waiting.push(run);
  }

  const changing =
    <T>(change: (value: T) => void) =>
    (value: T): void => {
      change(value);
      const now = state();
      if (now === latest) return;
      onChange(now, latest);
      latest = now;
      // They wait again where they still must.
      waiting.splice(0).forEach(pass);
    };

  return {
    state,
    pass,
    calls: {
      setConsent: changing((next) => {
        consent = next ?? "pending";
      }),
      optOut: changing<void>(() => {
        wishes.write(optOutName, "1");
        wishes.names("headwater.").forEach(wishes.remove);
      }),
      optIn: changing<void>(() => {
        if (wish) wishes.write(optOutName, "0");
      }),
    },
    obey: changing(({ respectGpc, requireConsent }) => {
      isAnswered = true;
      if (respectGpc && hasGpc) consent ??= "denied";
      if (requireConsent) consent ??= "pending";
    }),
    show: changing((isForgotten) => {
      // Another page has taken the grant back meanwhile.
      if (isForgotten && consent && latest === open) consent = "pending";
    }),
  };
}
