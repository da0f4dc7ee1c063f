import type { Client } from "./client.ts";
import { quietly } from "./quietly.ts";
import { clientOf } from "./registry.ts";
import { sdkVersion } from "./version.ts";

/**
 * What `/sdk/v2.js` runs: finds its own tag, replaces the snippet's stub by the client and replays what it recorded.
 * A page calls `headwater("track", "signup", { plan: "pro" })`, before and after the script has come.
 */
type Call = Iterable<unknown>;
interface Headwater {
  (...call: unknown[]): void;
  q?: { push(call: Call): unknown; forEach?(run: (call: Call) => void): void };
  version?: string;
}

declare global {
  interface Window {
    headwater?: Headwater;
  }
}

/** The tag that carries the key; tag managers and optimisers run a script without `currentScript`. */
const tag = [
  document.currentScript as HTMLScriptElement | null,
  document.querySelector<HTMLScriptElement>('script[data-key][src*="/sdk/v2.js"]'),
].find((found) => found?.dataset.key);

function start({ src, nonce, dataset }: HTMLScriptElement): void {
  const servedFrom = src.split("/sdk/v2.js")[0]!;
  const { key, api, extras } = dataset;
  // The other attributes are options of the same names.
  const client = clientOf({ ...dataset, publicKey: key!, apiBaseUrl: api || servedFrom });
  const run = quietly(([command, ...args]: Call) => {
    const known = client[command as keyof Client] as ((...args: unknown[]) => void) | undefined;
    if (known) known(...args);
    else console.warn("Headwater: no", command);
  });
  const headwater: Headwater = (...call) => run(call);
  headwater.version = sdkVersion;
  // A stub that someone kept a reference to pushes here.
  headwater.q = { push: run };
  const recorded = window.headwater?.q;
  window.headwater = headwater;
  // The stub kept them in an array; a client, should one be here, has nothing to replay.
  recorded?.forEach?.(run);

  for (const name of extras?.match(/[\w-]+/g) ?? []) {
    const src = `${servedFrom}/sdk/extras/${name}.js`;
    document.head.append(Object.assign(document.createElement("script"), { nonce, src }));
  }
}

quietly(() => {
  if (tag) start(tag);
  else console.warn("Headwater: no data-key");
})();
