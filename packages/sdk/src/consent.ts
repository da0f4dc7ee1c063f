import { openStore } from "./storage.ts";
import type { PrivacySettings } from "./transport.ts";

export type Consent = "granted" | "denied" | "pending";

/** Calls are dropped. */
export const blocked = 0;
/** Calls wait in memory. */
export const held = 1;
/** Calls run at once. */
export const open = 2;
export type GateState = typeof blocked | typeof held | typeof open;

/** Decides whether the visitor may be counted. Calls wait in memory while that is unknown and are dropped when it is denied. */
export interface ConsentGate {
  state(): GateState;
  /** Runs the function now, or later when counting becomes allowed. */
  whenAllowed(run: () => void): void;
  /** The public methods that a page may call. */
  readonly calls: {
    setConsent(consent: Consent): void;
    /** Stops counting this browser. */
    optOut(): void;
    optIn(): void;
  };
  /** Applies the privacy settings of the source. */
  applyPrivacy(privacy: PrivacySettings): void;
  /**
   * Runs when the page is shown: at load, after prerendering, or from the back/forward cache. Before the first time calls wait.
   * @param isForgotten whether the store of a page from that cache has no visitor
   */
  show(isForgotten?: boolean): void;
}

const maxHeld = 1000;
/** The opt-out is stored in localStorage with every persistence. It lacks the `headwater.` prefix, so a reset keeps it. */
const optOutName = "headwaterOptOut";

/**
 * @param consent undefined means granted, unless the source requires consent. An explicit grant overrides Global Privacy
 * Control
 * @param respectGpc the source's setting as the page states it; undefined: the signal is respected
 */
export function createGate(
  consent: Consent | undefined,
  respectGpc: boolean | undefined,
  onChange: (state: GateState) => void,
): ConsentGate {
  const optOutStore = openStore("local", () => true);
  const hasGpc = navigator.globalPrivacyControl;
  // Attributes of a script tag are text.
  if (hasGpc && `${respectGpc}` !== "false") consent ??= "denied";
  let isShown: boolean | undefined;
  const waiting: (() => void)[] = [];
  let latest: GateState = held;
  /** "1" after an opt-out. "0" after an opt-in, which also tells other open pages. */
  let optOutValue: string | null | undefined;

  function state(): GateState {
    const kept = optOutStore.read(optOutName);
    if (kept) optOutValue = kept;
    // The opt-out survives a site that clears its storage.
    else if (optOutValue) optOutStore.write(optOutName, optOutValue);
    if (consent === "denied" || +optOutValue!) return blocked;
    // Any other value counts as pending.
    return isShown && (consent ?? "granted") === "granted" ? open : held;
  }

  function whenAllowed(run: () => void): void {
    const now = state();
    if (now === open) run();
    else if (now && waiting.length < maxHeld) waiting.push(run);
  }

  const changing =
    <T>(change: (value: T) => void) =>
    (value?: T): void => {
      change(value!);
      const now = state();
      if (now === latest) return;
      onChange(now);
      latest = now;
      // Calls that are still not allowed wait again.
      waiting.splice(0).forEach(whenAllowed);
    };

  return {
    state,
    whenAllowed,
    calls: {
      setConsent: changing((next) => {
        consent = next ?? "pending";
      }),
      optOut: changing<void>(() => {
        optOutStore.write(optOutName, "1");
        optOutStore.names("headwater.").forEach(optOutStore.remove);
      }),
      optIn: changing<void>(() => {
        if (optOutValue) optOutStore.write(optOutName, "0");
      }),
    },
    applyPrivacy: changing((privacy) => {
      if (privacy.respectGpc && hasGpc) consent ??= "denied";
      if (privacy.requireConsent) consent ??= "pending";
    }),
    show: changing<boolean | undefined>((isForgotten) => {
      isShown = true;
      // Another page has withdrawn the grant while this one was cached.
      if (isForgotten && consent && latest === open) consent = "pending";
    }),
  };
}
