import { catchErrors } from "./catch-errors.ts";
import type { Client } from "./client.ts";
import { getClient } from "./get-client.ts";
import { sdkVersion } from "./version.ts";

/**
 * The entry point of `/sdk/v2.js`. It finds its own script tag, replaces the snippet's stub with the client and replays
 * the recorded calls. Pages call `headwater("track", "signup", { plan: "pro" })`, before and after the script has loaded.
 */
type RecordedCall = Iterable<unknown>;
interface HeadwaterFunction {
  (...call: unknown[]): void;
  q?: { push(call: RecordedCall): unknown; forEach?(run: (call: RecordedCall) => void): void };
  version?: string;
}

declare global {
  interface Window {
    headwater?: HeadwaterFunction;
  }
}

/** The script tag with the key. `currentScript` is null when a tag manager or an optimizer runs the script. */
const tag = [
  document.currentScript as HTMLScriptElement | null,
  document.querySelector<HTMLScriptElement>('script[data-key][src*="/sdk/v2.js"]'),
].find((found) => found?.dataset.key);

function start({ src, nonce, dataset }: HTMLScriptElement): void {
  const servedFrom = src.split("/sdk/v2.js")[0]!;
  const { key, api, extras } = dataset;
  // Other data attributes are options with the same names.
  const client = getClient({ ...dataset, publicKey: key!, apiBaseUrl: api || servedFrom });
  const run = catchErrors(([command, ...args]: RecordedCall) => {
    const known = client[command as keyof Client] as ((...args: unknown[]) => void) | undefined;
    if (known) known(...args);
    else console.warn("Headwater: no", command);
  });
  const headwater: HeadwaterFunction = (...call) => run(call);
  headwater.version = sdkVersion;
  // Code may have kept a reference to the stub, which pushes calls to `q`.
  headwater.q = { push: run };
  const recorded = window.headwater?.q;
  window.headwater = headwater;
  // The stub's `q` is an array. If a client is already here, its `q` has no forEach and nothing to replay.
  recorded?.forEach?.(run);

  for (const name of extras?.match(/[\w-]+/g) ?? []) {
    const script = document.createElement("script");
    document.head.append(Object.assign(script, { nonce, src: `${servedFrom}/sdk/extras/${name}.js` }));
  }
}

catchErrors(() => {
  if (tag) start(tag);
  else console.warn("Headwater: no data-key");
})();
