/** The statement of delivery on PostgreSQL, whose disk is full for a while, and which crashes and starts again. */
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isInstalled } from "../../src/clickhouse/embedded/start.ts";
import { type FailingStorage, statementOfDays } from "../faults/statement-day.suite.ts";
import { openVolume, whyNoVolume } from "../faults/volume.ts";
import { type Cluster, query, startCluster, unprivileged } from "./cluster.ts";

const END_CLAIMS = `update outbox_pages set claimed_until = now(); update erasures set claimed_until = 0;
  update warehouse_checks set claimed_until = 0`;
const SIZE_MB = 8;

interface FillableDisk extends Disposable {
  fill(): Promise<void>;
  empty(): Promise<void>;
}

/** A disk of its own for the outbox; null: this machine lets no test mount one, so that the server only crashes. */
function openDisk(cluster: Cluster): FillableDisk | null {
  if (whyNoVolume("tmpfs") !== null) return null;
  const volume = openVolume("tmpfs", SIZE_MB);
  const owner = unprivileged();
  if (owner) for (const path of [dirname(volume.path), volume.path]) chownSync(path, owner.uid, owner.gid);
  const run = (text: string) => query(cluster.url(), text);
  let isMoved = false;
  return {
    async fill() {
      if (!isMoved) {
        await run(`create tablespace small location '${volume.path}'`);
        await run("alter table outbox set tablespace small");
        await run("create table filling (bytes text) tablespace small");
        await run("alter table filling alter column bytes set storage external");
      }
      isMoved = true;
      for (let isFull = false; !isFull; )
        isFull = await run("insert into filling select repeat('x', 100000)").then(
          () => false,
          ({ code }: { code: string }) => code === "53100",
        );
    },
    empty: async () => void (await run("drop table filling")),
    [Symbol.dispose]: () => volume[Symbol.dispose](),
  };
}

async function openCluster(): Promise<FailingStorage> {
  const cluster = await startCluster();
  const disk = openDisk(cluster);
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-statement-"));
  let hasCrashed = false;
  const crash = async () => {
    if (!hasCrashed) await cluster.crash();
    hasCrashed = true;
  };
  return {
    dataDir,
    settings: { DATABASE_URL: cluster.url() },
    fail: disk?.fill ?? crash,
    async mend() {
      await crash();
      await cluster.start();
      await disk?.empty();
    },
    endClaims: () => query(cluster.url(), END_CLAIMS).catch(() => "there are no tables yet"),
    async [Symbol.asyncDispose]() {
      await cluster.stop();
      disk?.[Symbol.dispose]();
      rmSync(dataDir, { recursive: true });
    },
  };
}

statementOfDays("PostgreSQL", openCluster, isInstalled() ? null : "there is no embedded warehouse");
