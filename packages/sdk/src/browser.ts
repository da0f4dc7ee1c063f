import { createClient } from "./client.ts";
import { quietly } from "./quietly.ts";
import { sdkVersion } from "./version.ts";

/**
 * What `/sdk/v2.js` runs: finds its own tag, replaces the snippet's stub by the client and replays what it recorded.
 * A page calls `headwater("track", "signup", { plan: "pro" })`, before and after the script has come.
 */
type Call = ArrayLike<unknown>;
interface Headwater {
  (...call: unknown[]): void;
  q?: { push(call: Call): unknown };
  version?: string;
}

declare global {
  interface Window {
    headwater?: Headwater;
  }
  interface Document {
    readonly prerendering?: boolean;
  }
}

/** The tag that carries the key; tag managers and optimisers run a script without `currentScript`. */
const tag =
  document.currentScript?.dataset.key === undefined
    ? document.querySelector<HTMLScriptElement>('script[data-key][src*="/sdk/v2.js"]')
    : (document.currentScript as HTMLScriptElement);

function start(publicKey: string, apiBaseUrl: string): void {
  const stub = window.headwater;
  if (stub?.version) return;

  const client = createClient({ publicKey, apiBaseUrl });
  const run = quietly(([command, ...args]: unknown[]) => {
    if (command === "track") client.track(args[0] as string, args[1] as Record<string, unknown> | undefined);
    else if (command === "page") client.page();
    else
      console.warn(
        `Headwater: there is no command ${JSON.stringify(command)}; there are "track" and "page".`,
      );
  });
  const headwater: Headwater = (...call) => run(call);
  headwater.version = sdkVersion;
  // A stub that someone kept a reference to pushes here.
  headwater.q = { push: (call) => run(Array.from(call)) };
  window.headwater = headwater;

  const recorded = stub?.q;
  if (Array.isArray(recorded)) for (const call of recorded) run(Array.from(call as Call));
}

const startTagged = quietly(() => {
  const { key, api } = tag?.dataset ?? {};
  if (tag && key) start(key, api || tag.src.replace(/\/sdk\/v2\.js.*/, ""));
  else console.warn("Headwater: the script's tag has no data-key; copy the snippet from the install page.");
});

// A prerendered page may never be shown; then it is no view.
if (document.prerendering) document.addEventListener("prerenderingchange", startTagged, { once: true });
else startTagged();
