import { catchErrors } from "../catch-errors.ts";
import type { Client } from "../client.ts";
import type { Consent } from "../consent.ts";
import { idLength } from "../session.ts";
import type { Persistence } from "../storage.ts";
import { openStorage } from "./open-storage.ts";

/** The options of the client that decide what is counted without consent. */
export interface ConsentOptions {
  readonly publicKey: string;
  readonly consent?: Consent | undefined;
  readonly respectGpc?: boolean | undefined;
  readonly persistence?: Persistence | undefined;
  /** "none": without consent the client counts as with the persistence "none". With consent it stores data. */
  readonly withoutConsent?: "none" | undefined;
}

declare global {
  interface Window {
    /** The storage of the client with the persistence "consent". */
    consentStorage?: Storage;
  }
}

const toConsent = (given: unknown): Consent =>
  given === "granted" || given === "denied" ? given : "pending";

/** Whether visitors of this browser are counted without consent. A respected Global Privacy Control forbids it. */
export const countsWithoutConsent = ({ withoutConsent, respectGpc, persistence }: ConsentOptions): boolean =>
  withoutConsent === "none" &&
  persistence !== "none" &&
  !(navigator.globalPrivacyControl && `${respectGpc}` !== "false");

/**
 * Provides the storage of a client that counts without consent. The client itself always has the consent "granted".
 * @returns a function that makes the client's `setConsent` decide what is stored
 */
export function countWithoutConsent(options: ConsentOptions): (client: Client) => void {
  let consent = toConsent(options.consent);
  /** With the consent the stored visitor and session stay, and those of before it were nobody's. Its user becomes known. */
  let isSwitching = false;
  const base = (): Storage => window[`${options.persistence ?? "local"}Storage` as "localStorage"];
  const isGranted = () => consent === "granted";
  const forget = () => {
    for (const name of Object.keys(base() ?? {}))
      if (name.startsWith(`headwater.${options.publicKey}.`)) base().removeItem(name);
  };
  const decide = (next: Consent) => {
    consent = next;
    if (next === "denied") catchErrors(forget)();
  };
  decide(consent);
  window.consentStorage = openStorage({
    get headwaterOwner() {
      return { ...(isGranted() ? {} : { anonymousId: "$none" }), context: { consent } };
    },
    getItem: (name) => (isGranted() ? base().getItem(name) : null),
    setItem(name, value) {
      // The client keeps what cannot be written in memory.
      if (!isGranted()) throw new Error("There is no consent.");
      if (isSwitching && name.endsWith(".session")) return;
      const kept = isSwitching && name.endsWith(".visitor") && base().getItem(name);
      base().setItem(
        name,
        kept ? kept.slice(0, idLength) + (value.slice(idLength) || kept.slice(idLength)) : value,
      );
    },
    removeItem: (name) => void (isGranted() && base().removeItem(name)),
    names: () => (isGranted() ? Object.keys(base()) : []),
  });
  return (client) => {
    const { setConsent } = client;
    client.setConsent = (given) => {
      const next = toConsent(given);
      if (next === consent) return;
      if (isGranted()) {
        setConsent("denied");
        decide(next);
      } else if (next === "granted") {
        setConsent("pending");
        decide(next);
        isSwitching = true;
      } else decide(next);
      setConsent("granted");
      isSwitching = false;
    };
  };
}

type HeldCall = readonly unknown[];
interface Stub {
  (...call: HeldCall): void;
  q?: HeldCall[];
}

/** Does so for the script tag that asks for it. Earlier calls of `setConsent`, which the stub has queued, decide at once. */
export function countTags(tags: Iterable<HTMLElement>): void {
  for (const { dataset } of tags) {
    const options = { ...dataset, publicKey: dataset.key } as ConsentOptions;
    if (!countsWithoutConsent(options)) continue;
    const page = window as unknown as { headwater?: Stub & { version?: string } };
    const early: Stub = (...call) => void early.q?.push(call);
    const stub = page.headwater?.version === undefined ? (page.headwater ?? early) : early;
    const calls = [...(stub.q ?? [])].map((call) => [...call]);
    let { consent } = options;
    for (const [command, given] of calls) if (command === "setConsent") consent = given as Consent;
    const attach = countWithoutConsent({ ...options, consent });
    stub.q = [["ready", attach], ...calls.filter(([command]) => command !== "setConsent")];
    page.headwater = stub;
    dataset.consent = "granted";
    dataset.persistence = "consent";
  }
}
