// `npm version <new version>` writes the version into package.json and then runs this file, which writes it into the files
// that repeat it. With `--check` it lists the files that have another version.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FILES = [
  "package-lock.json",
  "{apps,packages}/*/package.json",
  "packages/sdk/src/version.ts",
  "{README.md,packages/sdk/README.md}",
  "docs/operate/*.md",
  "deploy/{Dockerfile,compose.yaml}",
  "deploy/kubernetes/*.yaml",
];
/** The version after a name of ours. */
const COPY =
  /(headwater(?:-js)?[:/-]|"name": "(?:headwater|@headwater\/\w+)",\n(?: *"private": true,\n)? *"version": "|"packages\/\w+": \{\n *"name": "[^"]+",\n *"version": "|"apps\/\w+": \{\n *"name": "[^"]+",\n *"version": ")(\d+\.\d+\.\d+)/gm;

/** The version of everything that is released. */
export const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

const withVersion = (text) => text.replace(COPY, (_, before) => before + version);

const differing = () =>
  globSync(FILES, { cwd: ROOT })
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }))
    .filter(({ text }) => withVersion(text) !== text);

/** @throws Error that names the files with another version */
export function checkVersion() {
  const paths = differing().map(({ path }) => path);
  if (paths.length > 0)
    throw new Error(
      `package.json has version ${version}, but not ${paths.join(", ")}. Run \`node scripts/version.js\`.`,
    );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === "--check") checkVersion();
  else for (const { path, text } of differing()) writeFileSync(join(ROOT, path), withVersion(text));
}
