/** A drill with the embedded warehouse: the content of its parts is damaged while the service is stopped. */
import { folder } from "../../apps/server/test/cli/command-line.ts";
import type { Child } from "../../apps/server/test/faults/child.ts";
import { until } from "../../apps/server/test/support/until.ts";
import { OWNER_TOKEN, type TestSource } from "../../apps/server/test/support/world.ts";
import { flipBytes } from "../../apps/server/test/warehouse/damage.ts";
import {
  type DrillFigures,
  isReported,
  readReadiness,
  readReport,
  startTrickled,
  toFigures,
  waitForAccepted,
} from "./drill.ts";

const FURTHER = 500;
const EMBEDDED = { WAREHOUSE: "embedded" };

const shippedIn = async ({ url }: Child): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^headwater_shipped_events_total (\d+)$/m.exec(text)?.[1] ?? 0);
};

/** Waits until the service has shipped that many events since its start. */
const waitUntilShipped = (child: Child, events: number): Promise<unknown> =>
  until("the events are in the warehouse", async () => (await shippedIn(child)) >= events);

/** @returns null while a query still meets a damaged part */
async function exportedIds({ url }: Child, { sourceId }: TestSource): Promise<string[] | null> {
  const headers = { authorization: `Bearer ${OWNER_TOKEN}` };
  const answer = await fetch(`${url}/api/export/events?sourceId=${sourceId}&format=ndjson`, { headers });
  if (!answer.ok) return null;
  const lines = (await answer.text()).split("\n").filter(Boolean);
  return lines.map((line) => (JSON.parse(line) as { eventId: string }).eventId);
}

/** All parts are damaged between two runs. */
export async function damagedParts(): Promise<DrillFigures> {
  using data = folder();
  const before = await startTrickled(data.path, EMBEDDED);
  await waitForAccepted(before.trickle, FURTHER);
  await before.trickle[Symbol.asyncDispose]();
  await waitUntilShipped(before.child, before.trickle.count("accepted"));
  await before.child.end("SIGTERM");
  flipBytes(data.path);
  const faultAt = performance.now();
  await using service = await startTrickled(data.path, EMBEDDED, before.source);
  const { child, trickle, source } = service;
  await until("the damage is reported", async () => {
    const { warehouse } = await readReadiness(child);
    return warehouse?.state === "incomplete";
  });
  const noticedAfterMs = Math.round(performance.now() - faultAt);
  await waitForAccepted(trickle, FURTHER);
  await trickle[Symbol.asyncDispose]();
  await waitUntilShipped(child, trickle.count("accepted"));
  const ids = () => exportedIds(child, source);
  const stored = await until("the damaged parts are set aside", ids);
  const reported = async () => {
    const found = await readReport(child);
    return isReported(found) && found;
  };
  const report = await until("it is reported", reported).catch(() => readReport(child));
  const answers = [...before.trickle.answers, ...trickle.answers];
  const note = `reported ${noticedAfterMs} ms after the start began`;
  return toFigures({ answers, stored, times: { faultAt }, report, note });
}
