/** What the Helm chart creates. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { Ajv } from "ajv";
import { type ChartRenderer, cannotRender, type KubernetesObject, objectOf, openChart } from "./chart.ts";

const SCHEMA = new URL("../../../../deploy/helm/headwater/values.schema.json", import.meta.url);
const NAME = "stats-headwater";
const ON_POSTGRES = { databaseUrl: { existingSecret: "headwater-database", key: "url" }, replicas: 2 };
const CLICKHOUSE = { enabled: true, existingSecret: "headwater-clickhouse" };

const isSelected = (selector: Record<string, string>, labels: Record<string, string>) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

/** The labels of the pods of an object; null: it has none. */
const podLabels = ({ spec }: KubernetesObject): Record<string, string> | null =>
  (spec?.jobTemplate?.spec ?? spec)?.template?.metadata?.labels ?? null;

const containerOf = (workload: KubernetesObject, name: string) =>
  workload.spec.template.spec.containers.find((container: { name: string }) => container.name === name);

describe("The Helm chart", { skip: cannotRender }, () => {
  let chart: ChartRenderer;
  const accepts = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(SCHEMA, "utf8")));
  before(() => {
    chart = openChart();
  });
  after(() => chart[Symbol.dispose]());

  it("renders one node with its volume, or several on PostgreSQL, and its values match their schema", () => {
    const embedded = chart.render();
    const shared = chart.render({ ...ON_POSTGRES, clickhouse: CLICKHOUSE, backup: { enabled: true } });
    for (const { values } of [embedded, shared]) assert.ok(accepts(values), JSON.stringify(accepts.errors));
    assert.ok(objectOf(embedded, "StatefulSet", NAME));
    assert.equal(objectOf(shared, "Deployment", NAME).spec.replicas, 2);
    assert.throws(() => chart.render({ replicas: 2 }), /More than one node needs PostgreSQL/);
  });

  it("keeps secret settings out of values and manifests: they are files", () => {
    for (const name of ["CLICKHOUSE_URL", "ALERT_WEBHOOK_SECRET", "DATABASE_URL_FILE"]) {
      const { values } = chart.render({ settings: { [name]: "x" } });
      assert.equal(accepts(values), false, name);
    }
    const secretSettings = { CLICKHOUSE_URL: { existingSecret: "mine", key: "address" } };
    const rendered = chart.render({ ...ON_POSTGRES, secretSettings });
    assert.ok(accepts(rendered.values));
    const { env, volumeMounts } = containerOf(objectOf(rendered, "Deployment", NAME), "headwater");
    const file = "/run/secrets/settings/CLICKHOUSE_URL";
    assert.deepEqual(env.at(-1), { name: "CLICKHOUSE_URL_FILE", value: file });
    const mount = { name: "settings", mountPath: "/run/secrets/settings", readOnly: true };
    assert.deepEqual(volumeMounts.at(-1), mount);
  });

  it("adds environment, volumes and mounts to the container", () => {
    const { template } = objectOf(
      chart.render({
        extraEnv: [{ name: "TZ", value: "UTC" }],
        envFrom: [{ configMapRef: { name: "more" } }],
        extraVolumes: [{ name: "geo", emptyDir: {} }],
        extraVolumeMounts: [{ name: "geo", mountPath: "/geo" }],
      }),
      "StatefulSet",
      NAME,
    ).spec;
    const [container] = template.spec.containers;
    assert.deepEqual(container.env.at(-1), { name: "TZ", value: "UTC" });
    assert.deepEqual(container.envFrom, [{ configMapRef: { name: "more" } }]);
    assert.deepEqual(container.volumeMounts.at(-1), { name: "geo", mountPath: "/geo" });
    assert.deepEqual(template.spec.volumes.at(-1), { name: "geo", emptyDir: {} });
  });

  it("limits the network by default: port 8790 from outside, no link-local address from inside", () => {
    const { spec } = objectOf(chart.render(), "NetworkPolicy", NAME);
    assert.deepEqual(spec.policyTypes, ["Ingress", "Egress"]);
    assert.deepEqual(spec.ingress, [{ ports: [{ port: "http" }] }]);
    const blocks = spec.egress.flatMap(({ to = [] }) => to).map((one: KubernetesObject) => one.ipBlock);
    assert.deepEqual(blocks[0], { cidr: "0.0.0.0/0", except: ["169.254.0.0/16"] });
    const shared = chart.render({ ...ON_POSTGRES, clickhouse: CLICKHOUSE });
    const warehouse = objectOf(shared, "NetworkPolicy", `${NAME}-clickhouse`).spec;
    assert.deepEqual(warehouse.egress, []);
    assert.ok(
      isSelected(
        warehouse.ingress[0].from[0].podSelector.matchLabels,
        podLabels(objectOf(shared, "Deployment", NAME))!,
      ),
    );
  });

  it("does not let the ingress reach /metrics", () => {
    const rendered = chart.render({ ingress: { enabled: true, host: "hw.example.com" } });
    const [rule] = objectOf(rendered, "Ingress", NAME).spec.rules;
    const metrics = rule.http.paths.find(({ path }: { path: string }) => path === "/metrics");
    assert.equal(metrics.pathType, "Exact");
    const { spec } = objectOf(rendered, "Service", metrics.backend.service.name);
    assert.equal(spec.selector, undefined, "a service without pods");
  });

  it("gives a migration time: a Job before the nodes on PostgreSQL, an hour of the start-up probe else", () => {
    const { startupProbe } = containerOf(objectOf(chart.render(), "StatefulSet", NAME), "headwater");
    assert.ok(startupProbe.periodSeconds * startupProbe.failureThreshold >= 3_600);
    const owner = { databaseUrl: { existingSecret: "headwater-schema-owner", key: "url" } };
    const rendered = chart.render({ ...ON_POSTGRES, migration: owner });
    const job = objectOf(rendered, "Job", `${NAME}-migration`);
    assert.equal(job.metadata.annotations["helm.sh/hook"], "pre-install,pre-upgrade");
    assert.deepEqual(containerOf(job, "migration").args, ["migrate"]);
    const [, { secret }] = job.spec.template.spec.volumes;
    assert.equal(secret.secretName, "headwater-schema-owner");
    assert.equal(objectOf(chart.render(), "Job", `${NAME}-migration`), undefined);
  });

  it("includes a ClickHouse server whose address the nodes get from the same secret", () => {
    const rendered = chart.render({ ...ON_POSTGRES, clickhouse: CLICKHOUSE });
    assert.ok(objectOf(rendered, "StatefulSet", `${NAME}-clickhouse`));
    const { env } = containerOf(objectOf(rendered, "Deployment", NAME), "headwater");
    assert.ok(env.some(({ name }: { name: string }) => name === "CLICKHOUSE_URL_FILE"));
    assert.throws(
      () => chart.render({ ...ON_POSTGRES, clickhouse: { enabled: true } }),
      /clickhouse.existingSecret is missing/,
    );
  });

  it("sends requests to nodes only: no service selects the pods of another one", () => {
    const all = { clickhouse: CLICKHOUSE, backup: { enabled: true } };
    const { objects } = chart.render({ ...ON_POSTGRES, ...all });
    const services = objects.filter(({ kind, spec }) => kind === "Service" && spec.selector);
    for (const { metadata, spec } of services) {
      const reached = objects.filter((one) => isSelected(spec.selector, podLabels(one) ?? {}));
      assert.deepEqual(
        reached.map((one) => one.metadata.name),
        [metadata.name],
      );
    }
    assert.equal(services.length, 2);
  });

  it("has a ServiceMonitor with the job that the alert rules name", () => {
    const rendered = chart.render({ serviceMonitor: { enabled: true, labels: { release: "prometheus" } } });
    const { metadata, spec } = objectOf(rendered, "ServiceMonitor", NAME);
    assert.equal(metadata.labels.release, "prometheus");
    assert.deepEqual(spec.endpoints, [{ port: "http", path: "/metrics", interval: "30s" }]);
    assert.equal(objectOf(rendered, "Service", NAME).metadata.labels[spec.jobLabel], "headwater");
  });

  it("makes backups of the embedded ledger in the pod, and of PostgreSQL with a CronJob", () => {
    const backup = { enabled: true, keep: 3 };
    const container = containerOf(objectOf(chart.render({ backup }), "StatefulSet", NAME), "backup");
    assert.ok(container.command.at(-1).includes("/app/deploy/backup/backup.sh"));
    assert.ok(container.env.some((one: KubernetesObject) => one.name === "BACKUP_KEEP" && one.value === "3"));
    const shared = chart.render({ ...ON_POSTGRES, backup });
    assert.equal(objectOf(shared, "CronJob", `${NAME}-backup`).spec.schedule, "0 3 * * *");
    assert.equal(containerOf(objectOf(shared, "Deployment", NAME), "backup"), undefined);
  });
});
