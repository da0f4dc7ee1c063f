import type { Client } from "./client.ts";
import { quietly } from "./quietly.ts";
import { clientOf } from "./registry.ts";
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
}

/** The tag that carries the key; tag managers and optimisers run a script without `currentScript`. */
const tag =
  document.currentScript?.dataset.key === undefined
    ? document.querySelector<HTMLScriptElement>('script[data-key][src*="/sdk/v2.js"]')
    : (document.currentScript as HTMLScriptElement);

function start({ src, nonce, dataset }: HTMLScriptElement): void {
  const stub = window.headwater;
  if (stub?.version) return;

  const { key, api, persistence, consent, autoPageViews, extras } = dataset;
  const servedFrom = src.replace(/\/sdk\/v2\.js.*/, "");
  const client = clientOf({
    publicKey: key!,
    apiBaseUrl: api || servedFrom,
    persistence: persistence as "local",
    consent: consent as "granted",
    autoPageViews: autoPageViews !== "false",
  });
  const run = quietly(([command, ...args]: unknown[]) => {
    const commands = Object.keys(client);
    if (commands.includes(command as string))
      (client[command as keyof Client] as (...args: unknown[]) => void)(...args);
    else console.warn(`Headwater: there is no command ${JSON.stringify(command)}; there are ${commands}.`);
  });
  const headwater: Headwater = (...call) => run(call);
  headwater.version = sdkVersion;
  // A stub that someone kept a reference to pushes here.
  headwater.q = { push: (call) => run(Array.from(call)) };
  window.headwater = headwater;

  const recorded = stub?.q;
  if (Array.isArray(recorded)) for (const call of recorded) run(Array.from(call as Call));

  for (const name of extras?.match(/[\w-]+/g) ?? []) {
    const script = document.createElement("script");
    script.nonce = nonce;
    script.src = `${servedFrom}/sdk/extras/${name}.js`;
    document.head.append(script);
  }
}

quietly(() => {
  if (tag?.dataset.key) start(tag);
  else console.warn("Headwater: the script's tag has no data-key; copy the snippet from the install page.");
})();
