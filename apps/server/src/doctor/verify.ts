/** POST …/verify: the checks of a page's own report. Nothing is fetched: what a page could not tell stays unknown. */
import type { KeyState } from "@headwater/contract";
import type { Handler } from "../core/handler.ts";
import type { SourceRecord } from "../core/records.ts";
import { diagnose } from "./diagnose.ts";
import { NOT_ASKED, originOf } from "./evidence.ts";

export interface VerifyDeps {
  /** BASE_URL. */
  readonly apiBaseUrl: () => string;
  /** INGEST_ALIAS. */
  readonly alias: string | null;
  readonly allows: (source: SourceRecord, origin: string) => boolean;
  /** Of a key of this source; null: it is none, and whose it is is not told. */
  readonly keyStateOf: (source: SourceRecord, publicKey: string, now: number) => Promise<KeyState | null>;
}

export const verifyInstall =
  ({ apiBaseUrl, alias, allows, keyStateOf }: VerifyDeps): Handler<"verifyInstall"> =>
  async ({ source, body, now }) => {
    const { report } = body;
    const { sourceId, publicKey, isActive } = source;
    const found = report.snippets[0]?.publicKey ?? publicKey;
    const service = {
      sourceId,
      publicKey,
      apiBaseUrl: apiBaseUrl().replace(/\/+$/, ""),
      alias,
      ...source.privacy,
      rightKeyState: "current" as const,
      keyState: (await keyStateOf(source, found, now)) ?? ("unknown" as const),
      isActive,
      isOriginAllowed: allows(source, originOf(report.url)),
      reach: NOT_ASKED,
      clockAheadMs: Date.parse(report.sentAt) - now,
    };
    return { body: diagnose({ report, pageProblem: null, isPolicyLeftOut: false, service }) };
  };
