import type { Client } from "../client.ts";
import type { Consent } from "../consent.ts";

/** Purposes of the TCF: 1 stores data in the browser, 8 measures content. */
const storingPurpose = 1;
const measuringPurpose = 8;

interface TcData {
  readonly gdprApplies?: boolean;
  readonly eventStatus?: string;
  readonly purpose?: { readonly consents?: Readonly<Record<number, boolean>> };
}
type Sections = Readonly<Record<string, unknown>>;
interface GppEvent {
  readonly eventName?: string;
  readonly data?: unknown;
  readonly pingData?: { readonly signalStatus?: string; readonly parsedSections?: Sections };
}
interface ConsentWindow {
  readonly __tcfapi?: (command: string, version: number, run: (data: TcData, isOk: boolean) => void) => void;
  readonly __gpp?: (command: string, run: (event: GppEvent, isOk: boolean) => void) => void;
  dataLayer?: ArrayLike<unknown>[] & { push(...entries: unknown[]): unknown };
}

function readTcf({ gdprApplies, eventStatus, purpose }: TcData): Consent {
  if (gdprApplies === false) return "granted";
  if (eventStatus !== "tcloaded" && eventStatus !== "useractioncomplete") return "pending";
  const isAllowed = [storingPurpose, measuringPurpose].every((id) => purpose?.consents?.[id] === true);
  return isAllowed ? "granted" : "denied";
}

/** Sections of US states have `SaleOptOut` and others, where 1 is an opt-out. That of the TCF lists the purposes. */
function readGpp(sections: Sections): Consent {
  for (const [name, parts] of Object.entries(sections)) {
    for (const part of [parts].flat() as Readonly<Record<string, unknown>>[]) {
      const isOptOut = ["SaleOptOut", "SharingOptOut", "TargetedAdvertisingOptOut"].some(
        (key) => part[key] === 1,
      );
      if (isOptOut || part.Gpc === true) return "denied";
      const purposes = part.PurposeConsents ?? part.PurposeConsent;
      if (name.startsWith("tcfeu") && Array.isArray(purposes))
        return purposes[storingPurpose - 1] && purposes[measuringPurpose - 1] ? "granted" : "denied";
    }
  }
  return Object.keys(sections).length > 0 ? "granted" : "pending";
}

/** An entry of Google Consent Mode. A refusal by default is no decision of the visitor. */
function readGoogle([command, kind, state]: readonly unknown[]): Consent | undefined {
  const storage = (state as { analytics_storage?: string } | undefined)?.analytics_storage;
  if (command !== "consent" || storage === undefined) return undefined;
  if (storage === "granted") return "granted";
  return kind === "update" ? "denied" : "pending";
}

/** Passes the visitor's decision on from the consent platform of the page: IAB TCF v2, GPP, or Google Consent Mode. */
export function consentSignals(client: Client): void {
  const page = window as unknown as ConsentWindow;
  const { __tcfapi: tcf, __gpp: gpp } = page;
  if (tcf) tcf("addEventListener", 2, (data, isOk) => isOk && client.setConsent(readTcf(data)));
  else if (gpp)
    gpp("addEventListener", ({ pingData }, isOk) => {
      if (isOk && pingData?.signalStatus === "ready")
        client.setConsent(readGpp(pingData.parsedSections ?? {}));
    });
  else {
    page.dataLayer ??= [];
    const layer = page.dataLayer;
    const { push } = layer;
    const read = (entry: unknown) => {
      const consent = readGoogle([
        ...((Object(entry) as Iterable<unknown>)[Symbol.iterator] ? (entry as unknown[]) : []),
      ]);
      if (consent) client.setConsent(consent);
    };
    [...layer].forEach(read);
    layer.push = (...entries: unknown[]) => {
      const result = push.apply(layer, entries as never);
      entries.forEach(read);
      return result as number;
    };
  }
}
