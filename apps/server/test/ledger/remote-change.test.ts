/** A ledger on SQLite notices changes by other processes, whenever they are made. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { startThread } from "../../src/core/thread-calls.ts";
import { ledgerPath } from "../../src/ledger/sqlite/database.ts";
import type { LedgerThreadMethods } from "../../src/ledger/sqlite/ledger-thread.ts";
import { until } from "../support/until.ts";

const THREAD = new URL("../../src/ledger/sqlite/ledger-thread.ts", import.meta.url);
const NOW = Date.UTC(2026, 10, 21, 12);

async function openThread(pollMs: number) {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-foreign-"));
  let isNoticed = false;
  const ledger = await startThread<LedgerThreadMethods>({
    name: "ledger",
    module: THREAD,
    opening: { dataDir, durability: "full", now: NOW, pollMs },
    onNotice: (notice) => {
      isNoticed ||= notice === "remote-change";
    },
  });
  const beside = new DatabaseSync(ledgerPath(dataDir));
  return {
    ledger,
    beside,
    noticed: () => until("the change is noticed", () => isNoticed),
    async [Symbol.asyncDispose]() {
      beside.close();
      await ledger.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

it("A change made before the first check is noticed", async () => {
  await using opened = await openThread(300);
  opened.beside.exec("insert into heartbeat values (1, 1) on conflict do update set at = at + 1");
  await opened.noticed();
});

it("After a lost connection a change is reported, because changes could not be counted meanwhile", async () => {
  // no check happens during the test
  await using opened = await openThread(3_600_000);
  opened.beside.exec("alter table heartbeat rename to elsewhere");
  await opened.ledger.calls.probe({ now: NOW }).catch(() => undefined);
  opened.beside.exec("alter table elsewhere rename to heartbeat");
  await opened.ledger.calls.probe({ now: NOW });
  await opened.noticed();
});
