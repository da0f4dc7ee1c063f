/** Renders the Helm chart with Go's template engine, which is Helm's. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGES = "/usr/share/gocode";
const CHART = fileURLToPath(new URL("../../../../deploy/helm/headwater", import.meta.url));
const RENDERER = fileURLToPath(new URL("./render-chart/main.go", import.meta.url));

/** Why the chart cannot be rendered here; false: it can. */
export const cannotRender =
  !(existsSync("/usr/bin/go") && existsSync(`${PACKAGES}/src/github.com/Masterminds/sprig`)) &&
  "Go and sprig are not installed; `npm run verify` installs them";

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
export type KubernetesObject = any;

export interface RenderedChart {
  objects: KubernetesObject[];
  /** The chart's values with those that were given. */
  values: object;
}

/** Values that every release needs. */
export const REQUIRED = {
  baseUrl: "https://hw.example.com",
  ownerToken: { existingSecret: "headwater-owner" },
};

export interface ChartRenderer extends Disposable {
  /** @throws Error with Helm's message when the chart refuses the values */
  render(values?: object): RenderedChart;
}

export function openChart(): ChartRenderer {
  const folder = mkdtempSync(join(tmpdir(), "headwater-chart-"));
  const program = join(folder, "render");
  const env = { ...process.env, GO111MODULE: "off", GOPATH: PACKAGES, GOCACHE: join(folder, "cache") };
  execFileSync("/usr/bin/go", ["build", "-o", program, RENDERER], { env });
  return {
    render: (values = {}) => {
      const text = JSON.stringify({ ...REQUIRED, ...values });
      return JSON.parse(execFileSync(program, [CHART, text], { encoding: "utf8", stdio: "pipe" }));
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

export function objectOf({ objects }: RenderedChart, kind: string, name: string): KubernetesObject {
  return objects.find((one) => one.kind === kind && one.metadata.name === name);
}
