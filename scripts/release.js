// `npm run release [-- --out <folder>]`: writes what is published to dist/: the package `headwater` with the service, the
// packages of packages/ that have a list of `files`, an SBOM (CycloneDX) and checksums. `--only headwater` writes that package
// alone, which is what the Docker image needs. `--commit <commit>` names what it is made of where there is no git.
// Before you publish, `npm run test:apps` must pass.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildConsole } from "../apps/console/build.js";
import { askGit } from "../apps/server/src/config/build-info.ts";
import { buildSdk } from "../packages/sdk/build.js";
import { checkVersion, version } from "./version.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const { values: flags } = parseArgs({
  options: {
    out: { type: "string", default: join(ROOT, "dist") },
    only: { type: "string" },
    commit: { type: "string" },
  },
});
const COMPILED = ["apps/server/{bin,src,tools}/**/*.{ts,js}", "packages/{api,contract}/src/**/*.ts"];
const COPIED = [
  "apps/console/build.js",
  "apps/console/dist",
  "packages/sdk/build.js",
  "packages/sdk/dist/v2.js",
  "packages/sdk/dist/extras",
  // not the whole folder, in which an operator keeps secrets
  "deploy/README.md",
  "deploy/backup",
  "deploy/grafana",
  "deploy/kubernetes",
  "deploy/prometheus",
  "deploy/systemd",
  "deploy/nginx.conf",
  "deploy/Caddyfile",
  ...globSync("apps/server/src/**/README.md", { cwd: ROOT }),
  "docs",
  "bench/README.md",
  "bench/RESULTS.md",
  "bench/results",
  "packages/api/README.md",
  "packages/sdk/README.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "LICENSE",
  "README.md",
  "SECURITY.md",
];

const readJson = (path) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));
const server = readJson("apps/server/package.json");
const contract = readJson("packages/contract/package.json");

function checkChangelog() {
  const headings = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("## "))
    .map((line) => line.slice(3).split(/[ ,]+/)[0]);
  if (!headings.includes(version))
    throw new Error(`CHANGELOG.md has no entry "## ${version}". Write one, then release.`);
  if (headings.includes("Unreleased"))
    console.log(
      'CHANGELOG.md has changes under "Unreleased". Before you publish, move them to the version that has them.',
    );
}

/** The path from a file to the module of the contract package that it imports, without the suffix. */
function contractPath(from, specifier) {
  const target = contract.exports[specifier.replace("@headwater/contract", ".")];
  return relative(dirname(from), join("packages/contract", target)).replace(/\.ts$/, "");
}

/** JavaScript without types. Names of our own modules end in .js, and those of the contract package become paths. */
function compile(path) {
  const source = readFileSync(join(ROOT, path), "utf8");
  const code = path.endsWith(".ts") ? stripTypeScriptTypes(source) : source;
  return code
    .replace(/"(@headwater\/contract[\w/-]*)"/g, (_, specifier) => `"${contractPath(path, specifier)}.js"`)
    .replace(/"(\.{1,2}\/[^"\n]+)\.ts"/g, (whole, module) =>
      existsSync(join(ROOT, dirname(path), `${module}.ts`)) ? `"${module}.js"` : whole,
    );
}

const withoutOwn = (dependencies) =>
  Object.fromEntries(Object.entries(dependencies).filter(([name]) => !name.startsWith("@headwater/")));

function headwaterManifest() {
  const { name, description, license, type } = readJson("package.json");
  return {
    name,
    version,
    description,
    license,
    type,
    os: ["!win32"],
    bin: { headwater: "apps/server/bin/headwater.js" },
    exports: { "./package.json": "./package.json" },
    engines: server.engines,
    dependencies: withoutOwn({ ...contract.dependencies, ...server.dependencies }),
    optionalDependencies: server.optionalDependencies,
  };
}

/** The exact packages that the service was tested with. */
function shrinkwrap(manifest) {
  const { packages } = readJson("package-lock.json");
  // the Node of a checkout is not part of the package
  const ownNode = Object.keys(packages[""].optionalDependencies).map((name) => `node_modules/${name}`);
  const installed = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.startsWith("node_modules/") && !dev && !link && !ownNode.includes(path),
  );
  return {
    name: manifest.name,
    version,
    lockfileVersion: 3,
    packages: { "": manifest, ...Object.fromEntries(installed) },
  };
}

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`);
}

/** Packs a folder into `out`. npm names the file by the package and its version. */
function pack(folder) {
  execFileSync("npm", ["pack", folder, "--pack-destination", flags.out, "--silent"], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

async function packHeadwater(stage) {
  await buildSdk();
  if ((await buildConsole(console.error)) === null) throw new Error("The console could not be built.");
  for (const path of globSync(COMPILED, { cwd: ROOT, exclude: ["**/node_modules/**", "**/*.d.ts"] }))
    write(join(stage, path.replace(/\.ts$/, ".js")), compile(path));
  for (const path of COPIED) cpSync(join(ROOT, path), join(stage, path), { recursive: true });
  const manifest = headwaterManifest();
  write(join(stage, "package.json"), manifest);
  write(join(stage, "npm-shrinkwrap.json"), shrinkwrap(manifest));
  write(join(stage, "apps/server/package.json"), {
    name: server.name,
    private: true,
    version,
    type: "module",
    build: flags.commit ?? (await askGit()),
  });
  pack(stage);
  if (flags.only !== "headwater") writeSbom(stage);
}

function packLibraries() {
  for (const path of globSync("packages/*/package.json", { cwd: ROOT }))
    if (readJson(path).files !== undefined) pack(`./${dirname(path)}`);
}

/** Packages that the build copies into the console: a font and the flags. */
const COPIED_INTO_CONSOLE = ["@fontsource-variable/inter", "country-flag-icons"];

/** The packages in the built console, which npm does not install with the package. */
function consoleComponents() {
  const { packages } = readJson("package-lock.json");
  const names = [
    ...readJson("apps/console/dist/licenses.json").map(({ name }) => name),
    ...COPIED_INTO_CONSOLE,
  ];
  return names.sort().map((name) => {
    const { version: packageVersion, integrity, license } = packages[`node_modules/${name}`];
    const [algorithm, digest] = integrity.split("-");
    return {
      "bom-ref": `console/${name}@${packageVersion}`,
      type: "library",
      name,
      version: packageVersion,
      scope: "required",
      purl: `pkg:npm/${name.replace("@", "%40")}@${packageVersion}`,
      licenses: [{ license: { id: license } }],
      hashes: [
        { alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(digest, "base64").toString("hex") },
      ],
    };
  });
}

/** The SBOM of the package: what `npm ci` installs with it, and what is in the built console. */
function writeSbom(stage) {
  const words = [
    "sbom",
    "--sbom-format=cyclonedx",
    "--sbom-type=application",
    "--omit=dev",
    "--package-lock-only",
  ];
  const sbom = JSON.parse(execFileSync("npm", words, { cwd: stage, encoding: "utf8" }));
  sbom.metadata.component.name = "headwater";
  // they differ in every run; the same commit makes the same bytes
  delete sbom.serialNumber;
  delete sbom.metadata.timestamp;
  const installed = new Set(sbom.components.map(({ name }) => name));
  sbom.components.push(...consoleComponents().filter(({ name }) => !installed.has(name)));
  write(join(flags.out, `headwater-${version}.cdx.json`), sbom);
}

function writeChecksums() {
  const lines = globSync("*", { cwd: flags.out })
    .sort()
    .map(
      (name) =>
        `${createHash("sha256")
          .update(readFileSync(join(flags.out, name)))
          .digest("hex")}  ${name}\n`,
    );
  write(join(flags.out, "SHA256SUMS"), lines.join(""));
}

checkVersion();
checkChangelog();
rmSync(flags.out, { recursive: true, force: true });
mkdirSync(flags.out, { recursive: true });
const stage = mkdtempSync(join(tmpdir(), "headwater-release-"));
try {
  await packHeadwater(stage);
} finally {
  rmSync(stage, { recursive: true, force: true });
}
if (flags.only !== "headwater") packLibraries();
writeChecksums();
console.log(
  globSync("*", { cwd: flags.out })
    .sort()
    .map((name) => join(flags.out, name))
    .join("\n"),
);
