/** Importing the client on a server, as frameworks do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../src/index.ts";

test("On a server the client does nothing and logs nothing.", async () => {
  const client = createClient({ publicKey: "pk_test", apiBaseUrl: "https://stats.example.com" });
  client.page();
  client.track("event", { n: 1 });
  client.identify("user");
  client.ready(() => assert.fail("there is no page"));
  assert.equal(await client.flush(), undefined);
  assert.equal("headwaterClients" in globalThis, false);
});
