/** The alert rules and the dashboard of deploy/ match the metrics of the service and the runbook. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { metricNames } from "../support/metrics.ts";
import { openWorld } from "../support/world.ts";

const PROMTOOL = "/usr/bin/promtool";
const fileOf = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const read = (path: string) => readFileSync(fileOf(path), "utf8");

const part = (text: string, pattern: RegExp) => pattern.exec(text)?.[1]?.trim() ?? "";
/** Each rule begins with its name. promtool checks the syntax of the file. */
const rules = read("deploy/prometheus/alerts.yaml")
  .split("- alert:")
  .slice(1)
  .map((text) => ({
    alert: part(text, /^ (\w+)$/m),
    expr: part(text, /^ +expr: (.*?)^ {8}(?:for|labels):/ms),
    summary: part(text, /^ +summary: "(.*)"$/m),
    runbook: part(text, /^ +runbook: (\S+)$/m),
  }));
interface Panel {
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string }[];
}
const panels: Panel[] = JSON.parse(read("deploy/grafana/headwater.json")).panels;

/** The names of metrics in a query of Prometheus: what looks like one and is not a function, label or keyword. */
function metricsIn(query: string): string[] {
  const bare = query.replaceAll(/"[^"]*"/g, "").replaceAll(/\b(?:by|on)\s*\([^)]*\)/g, "");
  return [...bare.matchAll(/\b(?:headwater|process|nodejs)_\w+/g)].map(([name]) => name);
}

/** The names of all series: a histogram has three. */
async function servedNames(): Promise<Set<string>> {
  await using world = await openWorld();
  const { text } = await world.ask("/metrics", { token: null });
  return new Set(
    metricNames(text).flatMap((name) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]),
  );
}

test("Alert rules and dashboard use metrics that the service has.", async () => {
  const served = await servedNames();
  const queries = [
    ...rules.map(({ alert, expr }) => ({ where: alert, expr })),
    ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: title, expr }))),
  ];
  assert.ok(queries.length > 40);
  for (const { where, expr } of queries) {
    const names = metricsIn(expr);
    assert.ok(names.length > 0 || expr === 'up{job="headwater"} == 0', where);
    for (const name of names) assert.ok(served.has(name), `${where}: ${name}`);
  }
});

test("Every alert links to its page of the runbook, and every page there belongs to an alert.", () => {
  const folder = "docs/operate/runbook";
  const pages = readdirSync(fileOf(folder));
  assert.deepEqual(pages.sort(), rules.map(({ alert }) => `${alert}.md`).sort());
  for (const { alert, summary, runbook } of rules) {
    assert.equal(runbook, `${folder}/${alert}.md`);
    assert.match(summary, /\.$/);
    assert.match(read(runbook), new RegExp(`^# ${alert}\\n\\n\\*\\*Symptom\\.\\*\\* `), runbook);
  }
});

test("promtool accepts the alert rules.", {
  skip: !existsSync(PROMTOOL) && `there is no ${PROMTOOL}`,
}, () => {
  const path = fileOf("deploy/prometheus/alerts.yaml");
  const check = spawnSync(PROMTOOL, ["check", "rules", path], { encoding: "utf8" });
  assert.deepEqual([check.stderr, check.status], ["", 0]);
});

test("Alerts fire and end as deploy/prometheus/alerts.test.yaml says.", {
  skip: !existsSync(PROMTOOL) && `there is no ${PROMTOOL}`,
}, () => {
  const check = spawnSync(PROMTOOL, ["test", "rules", fileOf("deploy/prometheus/alerts.test.yaml")], {
    encoding: "utf8",
  });
  assert.deepEqual([check.stderr, check.status], ["", 0], check.stdout);
});

test("No panel of the dashboard covers another one.", () => {
  const isOver = (one: Panel, other: Panel) => {
    const [a, b] = [one.gridPos, other.gridPos];
    return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
  };
  for (const [index, one] of panels.entries())
    for (const other of panels.slice(index + 1))
      assert.ok(!isOver(one, other), `${one.title}: ${other.title}`);
});
