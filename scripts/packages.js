// Installs the npm packages, when some are missing. Plain JavaScript without packages, so that it runs right after a clone
// and on an old Node.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { requirePlatform } from "../apps/server/bin/require-node.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Whether a package of the lock file is absent. Packages for other platforms and optional ones may be. */
function isIncomplete(withDevelopment) {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  return Object.entries(packages).some(
    ([path, { dev, optional }]) =>
      !optional && (withDevelopment || !dev) && !existsSync(join(ROOT, path, "package.json")),
  );
}

/**
 * Ends the process when the installation fails.
 * @param withDevelopment whether the packages that build and test are needed too
 */
export function installMissingPackages({ withDevelopment }) {
  requirePlatform();
  if (!isIncomplete(withDevelopment)) return;
  console.error("Some npm packages are missing. Running `npm install`, which takes about a minute…");
  // standard output belongs to the program that starts next
  const { status, error } = spawnSync("npm", ["install"], { cwd: ROOT, stdio: ["ignore", 2, "inherit"] });
  if (status === 0) return;
  console.error(
    `\`npm install\` failed${error ? ` (${error.code})` : ""}. Solve the problem above, then run it again.`,
  );
  process.exit(1);
}
