/**
 * docs/spec.md, sentence by sentence, against one service with default rate limits. The checks do not pace
 * themselves: the service must answer the whole suite as it would answer its first request.
 */
import { after, before, describe, it } from "node:test";
import { SETTINGS } from "../../src/config/settings.ts";
import { openWorld, type World } from "../support/world.ts";
import { AUTHENTICATION } from "./authentication.ts";
import { BOOTSTRAP } from "./bootstrap.ts";
import { BOOTSTRAP_VALIDATION } from "./bootstrap-validation.ts";
import type { SpecCheck } from "./check.ts";
import { createClient, type SpecClient, type SpecWorkspace } from "./client.ts";
import { DEBUG } from "./debug.ts";
import { DEDUPLICATION } from "./deduplication.ts";
import { EVENTS } from "./events.ts";
import { EVENTS_VALIDATION } from "./events-validation.ts";
import { FAILURES } from "./failures.ts";
import { INSTALL } from "./install.ts";
import { ISOLATION } from "./isolation.ts";
import { KEY_ROTATION } from "./key-rotation.ts";
import { LIMITS, RATE_LIMITS } from "./limits.ts";
import { ORIGINS } from "./origins.ts";
import { SOURCES } from "./sources.ts";
import { UPDATES } from "./updates.ts";
import { VERSIONING } from "./versioning.ts";

/** The rate limits come last: they use up what the service allows one address. */
const CHECKS: Record<string, SpecCheck[]> = {
  Sources: SOURCES,
  "Updates of a source": UPDATES,
  "Key rotation": KEY_ROTATION,
  Install: INSTALL,
  Debug: DEBUG,
  Authentication: AUTHENTICATION,
  Isolation: ISOLATION,
  Origins: ORIGINS,
  Bootstrap: BOOTSTRAP,
  "Validation of a bootstrap": BOOTSTRAP_VALIDATION,
  Events: EVENTS,
  "Validation of events": EVENTS_VALIDATION,
  Deduplication: DEDUPLICATION,
  Failures: FAILURES,
  Versioning: VERSIONING,
  Limits: LIMITS,
  "Rate limits": RATE_LIMITS,
};

function defaultRates(): Record<string, string> {
  const rates = Object.entries(SETTINGS).filter(([name]) => /_RATE_|_PER_MINUTE$/.test(name));
  return Object.fromEntries(rates.map(([name, setting]) => [name, setting.default]));
}

/** Each group has a workspace of its own, so that the list of its sources stays short. */
async function openWorkspace(world: World, stranger: SpecWorkspace["stranger"]): Promise<SpecWorkspace> {
  const organizationId = await world.workspace("Checks");
  const { token: viewer } = await world.serviceAccount("viewer", organizationId);
  return { organizationId, viewer, stranger };
}

describe("The specification", () => {
  let world: World;
  let stranger: SpecWorkspace["stranger"];
  before(async () => {
    world = await openWorld(defaultRates());
    stranger = await world.strangers();
  });
  after(() => world[Symbol.asyncDispose]());

  for (const [name, checks] of Object.entries(CHECKS)) {
    describe(name, () => {
      let client: SpecClient;
      before(async () => {
        client = createClient(world, await openWorkspace(world, stranger));
      });
      for (const { title, run } of checks) it(title, () => run(client));
    });
  }
});
