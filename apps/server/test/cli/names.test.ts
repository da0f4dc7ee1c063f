/** Users of other workspaces by name: `workspace create --owner` and `member add --user`. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openWorld, type World } from "../support/world.ts";
import { headwaterHere } from "./command-line.ts";

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world[Symbol.asyncDispose]());

const run = (...words: string[]) => headwaterHere({ DATA_DIR: world.dataDir }, ...words);

/** Signs up a person with that name. */
async function addPerson(name: string): Promise<string> {
  const { userId, token } = await world.person("viewer");
  const named = await world.ask("/api/profile", { method: "PATCH", token, body: { name } });
  assert.equal(named.status, 200, named.text);
  return userId;
}

test("The owner of a new workspace is given by id or name; an unknown id is a new user.", async () => {
  const ada = await addPerson("Ada L");
  for (const [given, owner] of [
    [ada, ada],
    ["ada l", ada],
    ["sub-of-a-jwt", "sub-of-a-jwt"],
  ] as const) {
    const { code, stderr, json } = await run(
      "workspace",
      "create",
      "--name",
      "W",
      "--owner",
      given,
      "--json",
    );
    assert.equal(code, 0, stderr);
    assert.equal(json().owner, owner, given);
  }
  const { code, stderr } = await run("workspace", "create", "--name", "W", "--owner", "Ada Lo");
  assert.equal(code, 1);
  assert.match(stderr, /^There is no member "Ada Lo"\. Run `npx headwater member list`/);
});

test("A member of one workspace is added to another by name, unless several have the name.", async () => {
  const grace = await addPerson("Grace");
  await addPerson("Same");
  await addPerson("Same");
  assert.equal((await run("workspace", "create", "--name", "Second")).code, 0);
  const words = ["member", "add", "--organization", "Second", "--role", "viewer", "--json"];
  assert.equal((await run(...words, "--user", "grace")).json().userId, grace);
  const { code, stderr } = await run(...words, "--user", "Same");
  assert.equal(code, 1);
  assert.match(stderr, /Several members have the name \\?"Same\\?": usr_\S+, usr_/);
  assert.equal((await run("workspace", "create", "--name", "second")).code, 0);
  const twice = await run("source", "list", "--organization", "Second");
  assert.match(twice.stderr, /^Several workspaces have the name "Second": org_\S+, org_/);
});
