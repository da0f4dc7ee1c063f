/** What another process changes in the ledger is noticed, whenever it does so. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { ledgerPath } from "../../src/ledger/sqlite/database.ts";
import { startThread } from "../../src/ledger/sqlite/rpc.ts";

const THREAD = new URL("../../src/ledger/sqlite/ledger-thread.ts", import.meta.url);
const NOW = Date.UTC(2026, 10, 21, 12);
const PATIENCE_MS = 10_000;

async function openThread(pollMs: number) {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-foreign-"));
  const ledger = await startThread("ledger", THREAD, { dataDir, durability: "full", now: NOW, pollMs });
  const beside = new DatabaseSync(ledgerPath(dataDir));
  const patience = new AbortController();
  const noticed = new Promise<void>((resolve) => {
    ledger.onNotice((notice) => notice === "remote-change" && resolve());
  });
  return {
    ledger,
    beside,
    /** Rejects when nothing is noticed. */
    async noticed() {
      const late = wait(PATIENCE_MS, null, { signal: patience.signal }).then(() => {
        throw new Error("the change is not noticed");
      });
      await Promise.race([noticed, late]).finally(() => patience.abort());
      await late.catch(() => undefined);
    },
    async [Symbol.asyncDispose]() {
      beside.close();
      await ledger.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

it("A change is noticed that was made before the ledger was looked at for the first time", async () => {
  await using opened = await openThread(300);
  opened.beside.exec("insert into heartbeat values (1, 1) on conflict do update set at = at + 1");
  await opened.noticed();
});

it("What changed while a connection was dropped is taken for changed when there is one again", async () => {
  // so long that nobody looks
  await using opened = await openThread(3_600_000);
  opened.beside.exec("alter table heartbeat rename to elsewhere");
  await opened.ledger.call("probe", { now: NOW }).catch(() => undefined);
  opened.beside.exec("alter table elsewhere rename to heartbeat");
  await opened.ledger.call("probe", { now: NOW });
  await opened.noticed();
});
