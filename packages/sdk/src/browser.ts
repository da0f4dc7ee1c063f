import { catchErrors } from "./catch-errors.ts";
import type { Client } from "./client.ts";
import { documentMember } from "./document.ts";
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
  documentMember("currentScript") as HTMLScriptElement | null,
  documentMember("querySelector").call(document, 'script[data-key][src*="/sdk/v2.js"]') as HTMLScriptElement,
].find((found) => found?.dataset.key);

function start(script: HTMLScriptElement): void {
  const { dataset } = script;
  const servedFrom = script.src.split("/sdk/v2.js")[0]!;
  // An import has the nonce of this script and needs no policy of Trusted Types. A part that is blocked is left out.
  const load = (name: string) => import(`${servedFrom}/sdk/extras/${name}.js`).catch(console.warn);
  const begin = catchErrors(() => {
    // Other data attributes are options with the same names.
    const apiBaseUrl = dataset.api || servedFrom;
    const client = getClient({ ...dataset, publicKey: dataset.key!, apiBaseUrl });
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
    dataset.extras?.match(/\S+/g)?.forEach(load);
  });
  // This part replaces the storage, so the client waits for it.
  if (dataset.crossSubdomain || dataset.linkDomains || dataset.withoutConsent)
    void load("identity").then(begin);
  else begin();
}

if (tag) start(tag);
else console.warn("Headwater: no data-key");
