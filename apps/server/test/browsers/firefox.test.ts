/** The stats of scripted visits in Firefox. */
import { after, test } from "node:test";
import { type Firefox, skip, startFirefox } from "../../../../packages/sdk/test/firefox.ts";
import { isInstalled } from "../../src/clickhouse/embedded/start.ts";
import { checkVisits, checkVitals } from "./acceptance.ts";

const isLeftOut = skip || (!isInstalled() && "left out: the optional package chdb is not installed");
let started: Promise<Firefox> | undefined;
const openFirefox = () => {
  started ??= startFirefox();
  return started;
};
after(async () => (await started)?.close());

test(
  "In Firefox the optional parts change no bounce rate, and time on page is within 10 %.",
  {
    skip: isLeftOut,
    timeout: 300_000,
  },
  async (t) => checkVisits(await openFirefox(), (line) => t.diagnostic(line)),
);

// Firefox measures no layout shift
test(
  "In Firefox the p75 of each web vital is within 5 % of the library's.",
  {
    skip: isLeftOut,
    timeout: 300_000,
  },
  async (t) => checkVitals(await openFirefox(), ["lcp", "fcp", "ttfb"], (line) => t.diagnostic(line)),
);
