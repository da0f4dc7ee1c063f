/** The Kubernetes manifests of deploy/: valid objects that run the service as it needs to run. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { OPERATIONS, WAREHOUSE_CODES } from "@headwater/contract";
import { parseAllDocuments } from "yaml";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const FILES = ["common", "one-node", "several-nodes", "embedded-warehouse"] as const;

// biome-ignore lint/suspicious/noExplicitAny: any Kubernetes object
type Manifest = any;

const read = (name: (typeof FILES)[number]): Manifest[] =>
  parseAllDocuments(readFileSync(join(ROOT, `deploy/kubernetes/${name}.yaml`), "utf8"), { merge: true }).map(
    (document) => document.toJS(),
  );
const common = read("common");
const oneNode = read("one-node");
const severalNodes = read("several-nodes");
const embeddedWarehouse = read("embedded-warehouse");
const all = [...common, ...oneNode, ...severalNodes, ...embeddedWarehouse];

const find = (manifests: Manifest[], kind: string, name = "headwater") =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
const containerOf = (workload: Manifest, name = "headwater") =>
  workload.spec.template.spec.containers.find((container: Manifest) => container.name === name);
const workloads = all.filter(({ spec }) => spec?.template?.spec?.containers);

/** The module of a kind in the package kubernetes-models: apps/v1/Deployment, v1/Service. */
const moduleOf = ({ apiVersion, kind }: Manifest) => `kubernetes-models/${apiVersion}/${kind}`;

test("Every manifest satisfies the JSON schema of its kind.", async () => {
  assert.equal(all.length, 10);
  for (const manifest of all) {
    const { [manifest.kind]: Model } = await import(moduleOf(manifest));
    new Model(manifest).validate();
  }
});

test("No manifest has a member that its kind does not know.", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "headwater-manifests-"));
  t.after(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const compile = (manifests: Manifest[]) => {
    const file = join(folder, "manifests.ts");
    const lines = manifests.map((manifest, index) => {
      const type = `import("${moduleOf(manifest)}").I${manifest.kind}`;
      return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)};`;
    });
    writeFileSync(file, lines.join("\n"));
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--types", ""];
    execFileSync(process.execPath, [tsc, ...options, file], { cwd: folder, encoding: "utf8", stdio: "pipe" });
  };
  compile(all);
  const misspelt = structuredClone(find(all, "Deployment"));
  misspelt.spec.template.spec.containers[0].readynessProbe = {};
  assert.throws(
    () => compile([misspelt]),
    ({ stdout }: { stdout: string }) => stdout.includes("readynessProbe"),
  );
});

test("Services and policies select the pods of the service only, and /metrics is not public.", () => {
  const labels = (manifest: Manifest) => manifest.spec.template.metadata.labels;
  for (const workload of workloads)
    assert.partialDeepStrictEqual(labels(workload), find(common, "Service").spec.selector, workload.kind);
  const [rule] = find(common, "Ingress").spec.rules;
  const metrics = rule.http.paths.find(({ path }: { path: string }) => path === "/metrics");
  assert.equal(metrics.pathType, "Exact");
  const { spec } = find(common, "Service", metrics.backend.service.name);
  assert.equal(spec.selector, undefined, "a service without pods");
});

test("Only the ingress controller and Prometheus reach a pod, and no pod reaches link-local addresses.", () => {
  const { spec } = find(common, "NetworkPolicy");
  assert.deepEqual(spec.policyTypes, ["Ingress", "Egress"]);
  assert.equal(spec.ingress.length, 1);
  assert.equal(spec.ingress[0].from.length, 2);
  const blocks = spec.egress.flatMap(({ to = [] }) => to).map((peer: Manifest) => peer.ipBlock);
  assert.deepEqual(blocks[0], { cidr: "0.0.0.0/0", except: ["169.254.0.0/16"] });
});

test("Containers are unprivileged, on a read-only file system, and read secrets from files.", () => {
  assert.equal(workloads.length, 3);
  for (const { kind, spec } of workloads) {
    const pod = spec.template.spec;
    assert.equal(pod.securityContext.runAsNonRoot, true, kind);
    for (const { securityContext, env } of pod.containers) {
      assert.equal(securityContext.readOnlyRootFilesystem, true, kind);
      assert.deepEqual(securityContext.capabilities, { drop: ["ALL"] }, kind);
      for (const { name, value } of env)
        if (/TOKEN|_URL/.test(name) && name !== "BASE_URL")
          assert.match(`${name}=${value}`, /_FILE=\/run\/secrets\/headwater\//, kind);
    }
  }
});

test("A migration of the ledger has an hour.", () => {
  for (const workload of workloads) {
    const { startupProbe } = containerOf(workload);
    assert.ok(startupProbe.periodSeconds * startupProbe.failureThreshold >= 3_600, workload.kind);
  }
});

test("The pod of one node makes backups.", () => {
  const { args } = containerOf(find(oneNode, "StatefulSet"), "backup");
  assert.ok(args.at(-1).includes("/app/deploy/backup/backup.sh"));
});

test("Beside nodes without a ClickHouse server, one node with a volume has the warehouse, and what reads it goes there.", () => {
  const name = "headwater-warehouse";
  const workload = find(embeddedWarehouse, "StatefulSet", name);
  const { env, volumeMounts } = containerOf(workload);
  const settings = Object.fromEntries(env.map(({ name, value }: Manifest) => [name, value]));
  const others = containerOf(find(severalNodes, "Deployment")).env.map(({ name }: Manifest) => name);
  assert.deepEqual(
    [...Object.keys(settings), "CLICKHOUSE_URL_FILE"].sort(),
    [...others, "WAREHOUSE"].sort(),
    "one line less, and one more",
  );
  assert.deepEqual([settings.WAREHOUSE, workload.spec.replicas], ["embedded", 1]);
  const [{ metadata }] = workload.spec.volumeClaimTemplates;
  assert.equal(volumeMounts.find(({ mountPath }: Manifest) => mountPath === "/data").name, metadata.name);
  const { selector } = find(embeddedWarehouse, "Service", name).spec;
  assert.deepEqual(workload.spec.template.metadata.labels, selector);
  const [{ http }] = find(embeddedWarehouse, "Ingress", name).spec.rules;
  const isThere = (path: string) =>
    http.paths.some(({ path: own, pathType, backend }: Manifest) => {
      assert.equal(backend.service.name, name);
      return path === own || (pathType === "Prefix" && path.startsWith(`${own}/`));
    });
  const readCodes: ReadonlySet<string> = new Set(
    WAREHOUSE_CODES.filter((code) => code.startsWith("warehouse")),
  );
  const reads = OPERATIONS.filter(
    ({ id, codes }) => id === "mcp" || codes.some((code) => readCodes.has(code)),
  ).map(({ path }) => path.replace(/:\w+/g, "abc"));
  assert.ok(reads.length > 5);
  for (const path of reads) assert.ok(isThere(path), path);
  assert.ok(!isThere("/api/ingest/v2/key/events"));
});
