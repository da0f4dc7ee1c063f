/**
 * Builds the scripts that `/sdk/v2.js` and `/sdk/extras/…` serve, when a source file is newer than the last build:
 * dist/v2.js, and dist/extras/ with one script per optional part.
 */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));
const output = join(root, "dist", "v2.js");

/** The optional parts: the file and the function that it exports. */
const EXTRAS = {
  downloads: "downloads",
  engagement: "engagement",
  forms: "forms",
  "consent-signals": "consentSignals",
  "outbound-links": "outboundLinks",
  "web-vitals": "webVitals",
};

/** An optional part that v2.js loads before it starts the client. */
const IDENTITY = "identity";

/** The ECMAScript edition that the scripts are compiled to and checked against: browsers since 2021 support it. */
const EDITION = 2021;

/**
 * Property names that only the modules of v2.js use among themselves. The build shortens them. A name that is also used by
 * the browser, a script tag's attribute or the server must not be listed here.
 */
const INTERNAL_PROPERTIES =
  /^(?:apiBaseUrl|applyPrivacy|calls|current|currentOwner|discardAll|enqueue|follow|hasMoved|isInside|latest|leave|list|lock|names|open|own|persist|put|publicKey|read|remove|setUserId|owner|show|state|stop|updateTitle|view|waitMs|whenAllowed|write)$/;

const modifiedAt = async (path) => (await stat(path)).mtimeMs;

async function isStale() {
  // a release has the built scripts and no sources
  if (!existsSync(join(root, "src"))) return false;
  const builtAt = await modifiedAt(output).catch(() => 0);
  if (builtAt === 0) return true;
  const sources = await readdir(join(root, "src"), { recursive: true }).catch(() => []);
  const inputs = [...sources.map((name) => join(root, "src", name)), fileURLToPath(import.meta.url)];
  return (await Promise.all(inputs.map(modifiedAt))).some((changedAt) => changedAt > builtAt);
}

/** Writes to a temporary file and renames it, so that no process reads half a script. */
async function writeAtomically(path, text) {
  const temporary = `${path}.${randomUUID()}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(temporary, text);
  await rename(temporary, path);
}

/** The entry of an optional part. It registers the part with the client once, however often the script is loaded. */
const entryOf = (file, name) => `import { ${name} } from ${JSON.stringify(file)};
  const started = (window.headwaterExtras ??= new Set());
  if (!started.has("${name}")) window.headwater?.("ready", ${name});
  started.add("${name}");`;

/** Turns function declarations into shorter constant arrow functions. They must not be called before their declaration. */
function withArrows(code, parse) {
  const inserts = [];
  const visit = (node) => {
    if (node?.type === "FunctionDeclaration") {
      const { start, end, id, body, async } = node;
      inserts.push([start, id.end, `const ${id.name} = ${async ? "async " : ""}`]);
      inserts.push([body.start, body.start, "=> "], [end, end, ";"]);
    }
    if (node && typeof node === "object") Object.values(node).forEach(visit);
  };
  visit(parse(code, { ecmaVersion: EDITION }));
  let at = 0;
  const parts = inserts
    .sort(([a], [b]) => a - b)
    .map(([start, end, text]) => {
      const part = code.slice(at, start) + text;
      at = end;
      return part;
    });
  return parts.join("") + code.slice(at);
}

/** @param isClient whether this is v2.js, which gets additional size optimizations */
async function bundle({ build, parse }, path, code, isClient = false) {
  const minify = {
    compress: true,
    mangle: true,
    ...(isClient && { mangleProps: { include: INTERNAL_PROPERTIES } }),
  };
  const entry = "headwater:entry";
  const plugin = {
    name: "entry",
    resolveId: (id) => (id === entry ? id : null),
    load: (id) => (id === entry ? code : null),
    renderChunk: (chunk) => (isClient ? withArrows(chunk, parse) : null),
  };
  const { output: chunks } = await build({
    input: entry,
    plugins: [plugin],
    transform: { target: `es${EDITION}` },
    output: { format: "iife", minify, comments: false },
    write: false,
  });
  // A block scopes `let` and `const` like a function, in fewer bytes.
  const script = isClient ? chunks[0].code.replace(/^\(function\(\)(.*)\)\(\);\s*$/s, "$1") : chunks[0].code;
  parse(script, { ecmaVersion: EDITION });
  await writeAtomically(path, script);
}

/** The scripts must be built, but what builds them is not installed. The message says what to do. */
export class BuildToolsMissing extends Error {}

/** Imported only for a build, because an installation with built scripts does not need them. */
async function importTools() {
  try {
    return { ...(await import("rolldown")), ...(await import("acorn")) };
  } catch (error) {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new BuildToolsMissing(
      "The browser client is not built, and the packages that build it are not installed. Run `npm install`, then " +
        "`npm run build --workspace=packages/sdk --workspace=apps/console`. After that, `npm prune --omit=dev` may remove them.",
    );
  }
}

/** @throws BuildToolsMissing */
export async function buildSdk() {
  if (!(await isStale())) return output;
  const tools = await importTools();
  const sourceOf = (name) => join(root, "src", name);
  for (const [file, name] of Object.entries(EXTRAS)) {
    const code = entryOf(sourceOf(`extras/${file}.ts`), name);
    await bundle(tools, join(root, "dist", "extras", `${file}.js`), code);
  }
  const identity = `import ${JSON.stringify(sourceOf(`extras/${IDENTITY}.ts`))};`;
  await bundle(tools, join(root, "dist", "extras", `${IDENTITY}.js`), identity);
  const code = `import ${JSON.stringify(sourceOf("browser.ts"))};`;
  await bundle(tools, output, code, true);
  return output;
}

/** Builds the client and the optional part `engagement` as one script, which saves pages a request. */
export async function buildWithEngagement() {
  const parts = [await buildSdk(), join(root, "dist", "extras", "engagement.js")];
  const [client, engagement] = await Promise.all(parts.map((path) => readFile(path, "utf8")));
  return `${client}\n${engagement}`;
}

/** Builds the optional parts and returns their names and paths, as `/sdk/extras/<name>.js` serves them. */
export async function builtExtras() {
  const folder = join(dirname(await buildSdk()), "extras");
  return [...Object.keys(EXTRAS), IDENTITY].map((name) => ({ name, path: join(folder, `${name}.js`) }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await buildSdk());
