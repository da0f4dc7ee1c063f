/** The stats of scripted visits in Firefox. */
import { after, before, test } from "node:test";
import { type Firefox, skip, startFirefox } from "../../../../packages/sdk/test/firefox.ts";
import { isInstalled } from "../../src/clickhouse/embedded/start.ts";
import { checkVisits, checkVitals } from "./acceptance.ts";

const isLeftOut = skip || (!isInstalled() && "left out: the optional package chdb is not installed");
let firefox: Firefox;
before(async () => {
  if (!isLeftOut) firefox = await startFirefox();
});
after(() => firefox?.close());

test(
  "In Firefox the optional parts change no bounce rate, and time on page is within 10 %.",
  {
    skip: isLeftOut,
    timeout: 120_000,
  },
  (t) => checkVisits(firefox, (line) => t.diagnostic(line)),
);

// Firefox measures no layout shift
test(
  "In Firefox the p75 of each web vital is within 5 % of the library's.",
  {
    skip: isLeftOut,
    timeout: 120_000,
  },
  (t) => checkVitals(firefox, ["lcp", "fcp", "ttfb"], (line) => t.diagnostic(line)),
);
