/** Test data: a source with attempts of every outcome and hostile names. */
import assert from "node:assert/strict";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  ORGANIZATION_ID,
  ORIGIN,
  trackEvent,
  type World,
} from "../../server/test/support/world.ts";

/** Runs a script wherever it is inserted as markup. */
export const HOSTILE = `"><img src=x onerror="window.ran=1"><script>window.ran=1</script>{{ran}}`;

/** The trace of the oldest attempt. */
export const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";

export interface Seeded {
  readonly sourceId: string;
  readonly publicKey: string;
}

/** Creates a source with attempts of each outcome and hostile text in every field that a visitor controls. */
export async function seed(world: World): Promise<Seeded> {
  const source = await world.createSource({ name: `Shop ${HOSTILE}` });
  const headers = { "user-agent": `Browser ${HOSTILE}` };
  const page = {
    url: `${ORIGIN}/?q=${HOSTILE}`,
    title: HOSTILE,
    referrer: `https://evil.example/${HOSTILE}`,
  };
  const body = bootstrapBody({ page, userId: HOSTILE });
  const traced = { ...headers, traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01` };
  const opened = await world.send(bootstrapPath(source), body, traced);
  assert.equal(opened.status, 200);
  const events = [
    trackEvent({ name: HOSTILE, properties: { [HOSTILE]: HOSTILE } }),
    trackEvent({ name: "n".repeat(201) }),
  ];
  await world.send(eventsPath(source), eventsBody(opened.body.sessionId, events), headers);
  const wrong = { ...trackEvent(), name: undefined, [HOSTILE]: 1 };
  await world.send(eventsPath(source), eventsBody(opened.body.sessionId, [wrong]), headers);
  await world.send(bootstrapPath(source), "{ not JSON", headers);
  await world.send(bootstrapPath(source), body, { ...headers, origin: "https://other.example" });
  return source;
}

/** Adds a member with that role. @returns the member's token */
export async function memberToken(world: World, role: string, name = role): Promise<string> {
  const organizationId = ORGANIZATION_ID;
  const member = await world.ask("/api/members", { method: "POST", body: { organizationId, name, role } });
  assert.equal(member.status, 201, JSON.stringify(member.body));
  const { userId } = member.body;
  const made = await world.ask("/api/tokens", {
    method: "POST",
    body: { organizationId, userId, label: name },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body.token;
}
