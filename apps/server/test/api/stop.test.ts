import assert from "node:assert/strict";
import { once } from "node:events";
import { it } from "node:test";
import { openVisit } from "../install/visit.ts";
import { eventsBody, eventsPath, ORIGIN, trackEvent } from "../support/world.ts";
import { Line } from "./raw-line.ts";

it("stopping waits for requests in flight, not for connections without a request", async () => {
  const { world, source, sessionId } = await openVisit();
  const body = JSON.stringify(eventsBody(sessionId, [trackEvent()]));
  const head = [`POST ${eventsPath(source)} HTTP/1.1`, "Host: x", `Origin: ${ORIGIN}`];
  const silent = new Line(world.url);
  await once(silent.socket, "connect");
  const asking = new Line(world.url).write(
    [...head, `Content-Length: ${body.length}`, "Expect: 100-continue", "", ""].join("\r\n"),
  );
  await once(asking.socket, "data");

  const stopped = world.close();
  await silent.closed;
  assert.equal(asking.socket.destroyed, false);
  asking.write(body);
  await asking.closed;
  assert.deepEqual(asking.statuses(), [200]);
  await stopped;
});
