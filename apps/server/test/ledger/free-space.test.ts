/** The ledger's file shrinks after a backlog has left it, in small steps. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { cpSync, statSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { ledgerPath } from "../../src/ledger/sqlite/database.ts";
import { RELEASED_PAGES_PER_SLICE } from "../../src/ledger/sqlite/free-space.ts";
import {
  openSqliteLedger,
  RELEASE_SLICES_PER_SECOND,
  type SqliteLedger,
} from "../../src/ledger/sqlite/open.ts";
import { folder } from "../cli/command-line.ts";
import { startChild } from "../faults/child.ts";
import { storedEvents } from "../faults/oracle.ts";
import { until } from "../support/until.ts";
import { aCommit, entries, NOW } from "./ledger-home.suite.ts";

const MEGABYTE = 1_048_576;
const EVENT_BYTES = 20_000;
const fileSize = (dataDir: string) => statSync(ledgerPath(dataDir)).size;

/** Stores events that cannot be compressed. */
async function store(ledger: SqliteLedger, megabytes: number): Promise<void> {
  for (let bytes = 0; bytes < megabytes * MEGABYTE; bytes += 200 * EVENT_BYTES) {
    const large = entries(200).map((entry) => {
      const text = randomBytes((EVENT_BYTES * 3) / 4).toString("base64");
      return { ...entry, line: Buffer.from(JSON.stringify({ eventId: entry.key, text })) };
    });
    await ledger.commit(aCommit({ entries: large }));
  }
}

/** Deletes all pages, as the shipper does when the warehouse has them. */
async function ship(ledger: SqliteLedger): Promise<void> {
  for (let number = 0; ; number++) {
    const claim = { pageId: `page_${number}`, now: NOW, maxEvents: 20_000, leaseMs: 1_000 };
    const page = await ledger.claimPage(claim);
    if (!page) return;
    await ledger.deletePage({ pageId: page.pageId, shipped: [] });
  }
}

async function withLedger(dataDir: string, work: (ledger: SqliteLedger) => Promise<void>): Promise<void> {
  const ledger = await openSqliteLedger({ dataDir, now: NOW });
  try {
    await work(ledger);
  } finally {
    await ledger.close();
  }
}

describe("The ledger's file", () => {
  const data = folder();
  const dataDir = data.at("shipped");
  let backlogBytes = 0;
  before(() =>
    withLedger(dataDir, async (ledger) => {
      await store(ledger, 200);
      await ship(ledger);
      await ledger.commit(aCommit({ entries: entries(100) }));
      backlogBytes = fileSize(dataDir);
    }),
  );
  after(() => data[Symbol.dispose]());
  const copy = (name: string) => {
    cpSync(dataDir, data.at(name), { recursive: true });
    return data.at(name);
  };

  it("shrinks to less than half of its size after a backlog of 150 MB was shipped, and keeps what is in it", async () => {
    const shrunk = copy("shrunk");
    assert.ok(backlogBytes > 150 * MEGABYTE, `${backlogBytes} bytes`);
    await withLedger(shrunk, async (ledger) => {
      await until("the file is small", async () => {
        await ledger.releaseSpace();
        return fileSize(shrunk) < backlogBytes / 2;
      });
      await ledger.commit(aCommit({ entries: entries(10) }));
    });
    assert.equal(storedEvents(shrunk).length, 110);
  });

  it("shrinks by at most 8 MiB a second", async () => {
    const slow = copy("slow");
    await withLedger(slow, async (ledger) => {
      await ledger.releaseSpace();
      // and a few pages of SQLite's own list
      const maxBytes = (RELEASE_SLICES_PER_SECOND * RELEASED_PAGES_PER_SLICE + 10) * 4_096;
      const releasedBytes = backlogBytes - fileSize(slow);
      assert.ok(releasedBytes > 0 && releasedBytes <= maxBytes, `${releasedBytes} bytes`);
    });
  });

  it("keeps 64 MiB of unused space, so that daily use does not shrink and grow it", async () => {
    const small = data.at("small");
    await withLedger(small, async (ledger) => {
      await store(ledger, 50);
      await ship(ledger);
      const size = fileSize(small);
      await ledger.releaseSpace();
      assert.equal(fileSize(small), size);
    });
  });

  it("shrinks while the service runs", async () => {
    const served = copy("served");
    const child = await startChild(served);
    try {
      await until("the file is smaller", () => fileSize(served) < 0.9 * backlogBytes);
      assert.equal((await child.end("SIGTERM")).code, 0);
    } finally {
      await child.end("SIGKILL");
    }
    assert.equal(storedEvents(served).length, 100);
  });
});
