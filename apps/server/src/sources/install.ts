import type { Handler } from "../core/handler.ts";

/** What an install needs to know of a source. */
export interface Installed {
  readonly sourceId: string;
  readonly publicKey: string;
  readonly name: string;
  readonly frameworkHint: string | null;
  readonly allowedOrigins: readonly string[];
  readonly requireOrigin: boolean;
  readonly privacy: { readonly requireConsent: boolean; readonly respectGpc: boolean };
}

type Payload = Extract<Awaited<ReturnType<Handler<"getInstall">>>, { body: unknown }>["body"];

/** What to paste into the application (spec 2.2, CONTRACT section 7). @param payloadOf the install room's */
export const getInstall =
  (payloadOf: (source: Installed, path: string | null) => Payload): Handler<"getInstall"> =>
  async ({ source, query }) => ({ body: payloadOf(source, query.path ?? null) });
