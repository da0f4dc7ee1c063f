/**
 * Builds what `/sdk/v2.js` and `/sdk/extras/…` serve, when a source file is newer than it: dist/v2.js, and in
 * dist/extras a script for each optional part.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));
const output = join(root, "dist", "v2.js");

/** The part's file, and what it exports. */
const EXTRAS = {
  downloads: "downloads",
  engagement: "engagement",
  forms: "forms",
  "outbound-links": "outboundLinks",
  "web-vitals": "webVitals",
};

/** What browsers since 2021 read: the edition that the scripts are written down to, and then held against. */
const EDITION = 2021;

/**
 * Names that only the parts of v2.js say to each other, and that no browser, tag or server knows: they need not be read
 * there. A name that is anybody else's as well must not be here.
 */
const INNER_NAMES =
  /^(?:apiBaseUrl|calls|current|follow|forget|know|leave|list|names|obey|open|own|pass|persist|put|publicKey|read|remove|show|stamp|state|stop|take|view|waitMs|write)$/;

const modifiedAt = async (path) => (await stat(path)).mtimeMs;

async function isStale() {
  const builtAt = await modifiedAt(output).catch(() => 0);
  if (builtAt === 0) return true;
  const sources = await readdir(join(root, "src"), { recursive: true }).catch(() => []);
  const inputs = [...sources.map((name) => join(root, "src", name)), fileURLToPath(import.meta.url)];
  return (await Promise.all(inputs.map(modifiedAt))).some((changedAt) => changedAt > builtAt);
}

/** Written beside and moved, so that nobody reads half a script. */
async function writeWhole(path, text) {
  const draft = `${path}.${randomUUID()}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(draft, text);
  await rename(draft, path);
}

/** A script registers itself with the client that is there, once, however often it is loaded. */
const entryOf = (file, name) => `import { ${name} } from ${JSON.stringify(file)};
  const started = (window.headwaterExtras ??= new Set());
  if (!started.has("${name}")) window.headwater("ready", ${name});
  started.add("${name}");`;

/** Every function declaration as a constant arrow, which is shorter: none may be used by what runs above it. */
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

/** @param isClient whether it is the client itself, whose bytes are counted one by one */
async function bundle({ build, parse }, path, code, isClient = false) {
  const minify = { compress: true, mangle: true, ...(isClient && { mangleProps: { include: INNER_NAMES } }) };
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
  // A block holds `let` and `const` as well as a function does, in fewer bytes.
  const script = isClient ? chunks[0].code.replace(/^\(function\(\)(.*)\)\(\);\s*$/s, "$1") : chunks[0].code;
  parse(script, { ecmaVersion: EDITION });
  await writeWhole(path, script);
}

export async function buildSdk() {
  if (!(await isStale())) return output;
  // Loaded here, because what is built already needs neither.
  const tools = { ...(await import("rolldown")), ...(await import("acorn")) };
  const sourceOf = (name) => join(root, "src", name);
  for (const [file, name] of Object.entries(EXTRAS)) {
    const code = entryOf(sourceOf(`extras/${file}.ts`), name);
    await bundle(tools, join(root, "dist", "extras", `${file}.js`), code);
  }
  const code = `import ${JSON.stringify(sourceOf("browser.ts"))};`;
  await bundle(tools, output, code, true);
  return output;
}

/** The optional parts by name, as `/sdk/extras/<name>.js` serves them. */
export async function builtExtras() {
  const folder = join(dirname(await buildSdk()), "extras");
  return Object.keys(EXTRAS).map((name) => ({ name, path: join(folder, `${name}.js`) }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await buildSdk());
