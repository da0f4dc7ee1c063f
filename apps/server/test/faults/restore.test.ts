/** `headwater restore` is all or nothing: a folder with an interrupted restore is not used, and the same command starts over. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { folder, headwaterHere, serve } from "../cli/command-line.ts";
import { rowsOf, storedEvents } from "../ledger/reader.ts";
import { eventsBody, eventsPath, openWorld, outcomesOf, trackEvent } from "../support/world.ts";
import { restoreUntil } from "./killed-restore.ts";

const MOMENTS = 10;
const data = folder();
const backup = data.at("backup");
/** Commands besides `serve` that open the ledger. Each is tried in one interrupted restore. */
const COMMANDS = [["source", "list"], ["backup", "--to", data.at("none")], ["migrate"], ["accept-clock"]];
let sources: unknown;

before(async () => {
  await using world = await openWorld({ DATABASE_URL: "" });
  const source = await world.createSource();
  const events = Array.from({ length: 50 }, () => trackEvent());
  const sent = await world.send(eventsPath(source), eventsBody(await world.openSession(source), events));
  assert.ok(outcomesOf(sent).every((outcome) => outcome === "accepted"));
  assert.equal((await headwaterHere({ DATA_DIR: world.dataDir }, "backup", "--to", backup)).code, 0);
  sources = rowsOf(world.dataDir, "select * from sources");
});
after(() => data[Symbol.dispose]());

function checkRestored(dataDir: string): void {
  assert.deepEqual(rowsOf(dataDir, "select * from sources"), sources);
  assert.equal(storedEvents(dataDir).length, 50);
}

it("A restore that is killed at any moment leaves nothing, a folder that no command uses, or everything", async (t) => {
  let refusals = 0;
  for (let moment = 1; moment <= MOMENTS; moment += 1) {
    const dataDir = data.at(`at-${moment}`);
    // a restore creates restore.mark, the lock and the copies, and then renames the copies
    const changes = moment * 2 - 1;
    const wasKilled = await restoreUntil(backup, dataDir, changes);
    if (existsSync(join(dataDir, "restore.mark"))) {
      assert.ok(wasKilled);
      for (const words of [["serve"], ...COMMANDS.slice(refusals, refusals + 1)]) {
        const { code, stderr } = await headwaterHere({ DATA_DIR: dataDir, PORT: "0" }, ...words);
        assert.equal(code, 78, stderr);
        assert.ok(stderr.includes(`Run \`npx headwater restore --from ${backup}\` again`), stderr);
      }
      refusals += 1;
    } else if (!existsSync(join(dataDir, "ledger.sqlite"))) {
      const left = readdirSync(dataDir).filter((name) => !name.startsWith("restore."));
      assert.deepEqual(left, [], "no file of the ledger is there");
    } else {
      checkRestored(dataDir);
      continue;
    }
    const again = await headwaterHere({ DATA_DIR: dataDir }, "restore", "--from", backup);
    assert.equal(again.code, 0, again.stderr);
    checkRestored(dataDir);
  }
  t.diagnostic(`${refusals} of ${MOMENTS} restores were interrupted after they had begun to write`);
  assert.ok(refusals >= 3, `${refusals} refusals`);
});

it("A restored folder is served, and is not restored into again", async () => {
  const dataDir = data.at("served");
  assert.equal((await headwaterHere({ DATA_DIR: dataDir }, "restore", "--from", backup)).code, 0);
  const service = await serve({ DATA_DIR: dataDir, LOG_LEVEL: "silent" });
  assert.equal(await service.stop(), 0);
  const again = await headwaterHere({ DATA_DIR: dataDir }, "restore", "--from", backup);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /is not empty/);
});
