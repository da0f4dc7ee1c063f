/** The built browser client as documents: `/sdk/v2.js` and its optional parts. */
import { readFileSync } from "node:fs";
import {
  BuildToolsMissing,
  buildSdk,
  buildWithEngagement,
  builtExtras,
} from "../../../../packages/sdk/build.js";
import { ConfigError } from "../config/config.ts";
import { Refusal } from "../core/refusal.ts";
import { createDocument, type Document } from "./document.ts";

/** Browsers cache the scripts for five minutes: few requests, and a new version still arrives soon. */
const SDK_CACHE = "public, max-age=300";

const SCRIPT_HEADERS = {
  "Cache-Control": SDK_CACHE,
  "Access-Control-Allow-Origin": "*",
  "Cross-Origin-Resource-Policy": "cross-origin",
};

type ServedScript = () => Promise<Document>;
export interface ServedScripts {
  readonly sdk: ServedScript;
  /** The same with its optional part `engagement`. */
  readonly sdkWithEngagement: ServedScript;
  /** Its optional scripts, by file name. */
  readonly extras: ReadonlyMap<string, ServedScript>;
}

const serveScript = (bytes: Buffer): ServedScript =>
  createDocument({
    mediaType: "text/javascript; charset=utf-8",
    headers: SCRIPT_HEADERS,
    render: () => bytes,
  });

/** Builds the scripts first, if their sources have changed. @throws ConfigError when what builds them is not installed */
export async function readScripts(): Promise<ServedScripts> {
  const extras = await builtExtras().catch((error: unknown) => {
    throw error instanceof BuildToolsMissing ? new ConfigError(error.message) : error;
  });
  return {
    sdk: serveScript(readFileSync(await buildSdk())),
    sdkWithEngagement: serveScript(Buffer.from(await buildWithEngagement())),
    extras: new Map(extras.map(({ name, path }) => [`${name}.js`, serveScript(readFileSync(path))])),
  };
}

/** The script of `/sdk/v2.js`. @param extra the part that it includes */
export const findClient = (scripts: ServedScripts, extra: unknown): Promise<Document> =>
  (extra === "engagement" ? scripts.sdkWithEngagement : scripts.sdk)();

/** @throws Refusal 404 */
export function findExtra({ extras }: ServedScripts, file: string): Promise<Document> {
  const script = extras.get(file);
  if (!script) throw new Refusal("route_not_found");
  return script();
}
