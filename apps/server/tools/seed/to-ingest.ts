/** Made-up visits through the real ingest API: one bootstrap each, which takes its events too. */
import { setTimeout as pause } from "node:timers/promises";
import type { BootstrapAnswer } from "@headwater/contract";
import { CommandFailed } from "../../src/cli/failure.ts";
import type { Visit } from "./traffic.ts";

const AT_ONCE = 8;
const TRIES = 20;

export interface Taken {
  accepted: number;
  duplicates: number;
  rejected: number;
}

export interface Target {
  /** Of the service. */
  url: string;
  key: string;
  /** The origin of the pages. */
  site: string;
}

const bodyOf = ({ visitor, sessionId, events }: Visit) => ({
  ingestVersion: 2,
  sdkVersion: "seed",
  anonymousId: visitor.anonymousId,
  userId: visitor.userId,
  page: events[0]!.event.page,
  context: { locale: visitor.locale, timezone: visitor.timezone },
  batchId: `batch-${sessionId}`,
  sentAt: new Date().toISOString(),
  events: events.map(({ event }) => event),
});

async function send(visit: Visit, { url, key, site }: Target): Promise<Taken> {
  const address = `${url}/api/ingest/v2/${encodeURIComponent(key)}/bootstrap`;
  const headers = { origin: site, "user-agent": visit.visitor.userAgent, "content-type": "text/plain" };
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const reply = await fetch(address, {
      method: "POST",
      headers,
      body: JSON.stringify(bodyOf(visit)),
    }).catch(({ cause, message }: Error) => {
      throw new CommandFailed(
        `${url} does not answer (${(cause as Error | undefined)?.message ?? message}).`,
      );
    });
    if (reply.ok) {
      const { accepted = 0, duplicates = 0, rejected = 0 } = (await reply.json()) as BootstrapAnswer;
      return { accepted, duplicates, rejected };
    }
    const failure = (await reply.json().catch(() => ({}))) as { message?: string; hint?: string };
    if (reply.status !== 429 && reply.status !== 503)
      throw new CommandFailed(
        `${url} refuses (${reply.status}): ${failure.message ?? ""} ${failure.hint ?? ""}`,
      );
    await pause(1_000 * Number(reply.headers.get("retry-after") ?? 1));
  }
  throw new CommandFailed(`${url} was too busy for ${TRIES} tries; the same command goes on from there.`);
}

/** Some at once; what is refused for want of room is sent again when it may be. */
export function openIngest(target: Target) {
  const taken: Taken = { accepted: 0, duplicates: 0, rejected: 0 };
  const underWay = new Set<Promise<void>>();
  let failure: unknown = null;
  const begin = (visit: Visit) => {
    const sending = send(visit, target).then(
      (one) => {
        for (const name of ["accepted", "duplicates", "rejected"] as const) taken[name] += one[name];
      },
      (error: unknown) => {
        failure ??= error;
      },
    );
    const done = sending.finally(() => underWay.delete(done));
    underWay.add(done);
  };
  const check = () => {
    if (failure !== null) throw failure;
  };
  return {
    taken,
    take: async (visit: Visit): Promise<void> => {
      check();
      begin(visit);
      if (underWay.size >= AT_ONCE) await Promise.race(underWay);
    },
    end: async (): Promise<void> => {
      await Promise.all(underWay);
      check();
    },
  };
}
