/** A world with one source and one visitor's open session: what most tests of ingest begin with. */
import { after } from "node:test";
import type { StartOptions } from "../../src/server.ts";
import { storedEvent } from "../ledger/reader.ts";
import { eventsBody, eventsPath, openWorld, outcomesOf } from "../support/world.ts";

interface Wanted {
  environment?: Record<string, string>;
  options?: StartOptions;
  /** Fields of the source. */
  source?: Record<string, unknown>;
}

/** For all tests of a file; the world is closed after the last. */
export async function openVisit(wanted: Wanted = {}) {
  const world = await openWorld(wanted.environment, wanted.options);
  after(() => world[Symbol.asyncDispose]());
  const source = await world.createSource(wanted.source);
  const sessionId = await world.openSession(source);
  const send = (events: unknown[], over = {}, headers?: Record<string, string>) =>
    world.send(eventsPath(source), eventsBody(sessionId, events, over), headers);
  /** The result of one event sent alone, and what the ledger holds of it. */
  async function sendOne(event: { id: string }, over = {}, headers?: Record<string, string>) {
    const reply = await send([event], over, headers);
    const result = reply.body.results?.[0];
    const stored = result?.status === "accepted" ? storedEvent(world.dataDir, event.id) : null;
    return { outcome: outcomesOf(reply)[0], warnings: result.warnings, stored };
  }
  return { world, source, sessionId, send, sendOne };
}
