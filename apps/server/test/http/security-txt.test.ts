/** /.well-known/security.txt (RFC 9116). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { processEnvironment, readConfig } from "../../src/config/config.ts";
import { openWorld } from "../support/world.ts";

const PATH = "/.well-known/security.txt";

test("It names the contact of the setting, when the contact expires, and its own address.", async () => {
  const settings = { SECURITY_CONTACT: "security@hw.example.com", BASE_URL: "https://hw.example.com" };
  await using world = await openWorld(settings);
  const response = await fetch(world.url + PATH);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/plain; charset=utf-8");
  const text = await response.text();
  const [, expires = ""] =
    /^Contact: mailto:security@hw\.example\.com\nExpires: (\S+)\nCanonical: https:\/\/hw\.example\.com\/\.well-known\/security\.txt\n$/.exec(
      text,
    ) ?? assert.fail(text);
  const days = (Date.parse(expires) - world.now()) / 86_400_000;
  assert.ok(days >= 90 && days <= 91, expires);
});

test("Without the setting the answer is 404.", async () => {
  await using world = await openWorld();
  assert.equal((await fetch(world.url + PATH)).status, 404);
});

test("The setting is an e-mail address, or a URI that can be a contact.", () => {
  const read = (value: string) =>
    readConfig({ ...processEnvironment(), SECURITY_CONTACT: value }).SECURITY_CONTACT;
  assert.equal(read("security@example.com"), "mailto:security@example.com");
  for (const uri of ["mailto:security@example.com", "https://example.com/security", "tel:+1-201-555-0123"])
    assert.equal(read(uri), uri);
  assert.equal(read(""), null);
  for (const wrong of [
    "example.com",
    "http://example.com",
    "a b@example.com",
    "a@b\nExpires: x",
    "javascript:x",
  ])
    assert.throws(() => read(wrong), /SECURITY_CONTACT cannot be/, wrong);
});
