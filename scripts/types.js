// `npm run types`: checks the types of every project. Results are kept, so that the next run checks only what changed.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CACHE = join(ROOT, "node_modules", ".cache", "types");
const PROJECTS = ["tsconfig.json", "packages/sdk", "packages/sdk/test", "apps/console", "apps/console/test"];

const failed = PROJECTS.filter((project) => {
  const state = join(CACHE, `${project.replaceAll("/", "-")}.tsbuildinfo`);
  const { status } = spawnSync("tsc", ["-p", project, "--incremental", "--tsBuildInfoFile", state], {
    cwd: ROOT,
    stdio: "inherit",
  });
  return status !== 0;
});
if (failed.length > 0) console.error(`Type errors in: ${failed.join(", ")}.`);
process.exitCode = failed.length === 0 ? 0 : 1;
