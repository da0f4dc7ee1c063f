/** Checks the rules of ARCHITECTURE.md by reading the sources. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  childNodes,
  isSyntaxNode,
  lineAt,
  nameOf,
  parseText,
  type SyntaxNode,
} from "./support/syntax-tree.ts";

const SERVER = fileURLToPath(new URL("../src", import.meta.url));
const TOOLS = fileURLToPath(new URL("../tools", import.meta.url));
const CONTRACT = fileURLToPath(new URL("../../../packages/contract/src", import.meta.url));
const API_CLIENT = fileURLToPath(new URL("../../../packages/api/src", import.meta.url));

/** The modules of the server by ARCHITECTURE.md, lowest first, with the modules that each may import besides `core`. */
const MODULES: ReadonlyMap<string, readonly string[]> = new Map(
  readFileSync(new URL("../../../ARCHITECTURE.md", import.meta.url), "utf8")
    .split("\n## ")
    .filter((section) => section.startsWith("Modules"))
    .flatMap((section) => [...section.matchAll(/^\| `([a-z-]+)` \| .* \|(.*)\|$/gm)])
    .map(([, name = "", imports = ""]) => [
      name,
      [...imports.matchAll(/`([a-z-]+)`/g)].map(([, to = ""]) => to),
    ]),
);
/** The command line may import everything, and the wiring everything but the command line. */
const isFree = (from: string, to: string) => from === "cli" || (from === "" && to !== "cli");
const isAdapter = (path: string) =>
  /^(?:ledger\/(?:sqlite|postgres|catalog)|clickhouse\/embedded)\//.test(path);
/** The files that connect the folders: they alone import engines. */
const isWiring = (path: string) => !path.includes("/") || /^(?:cli|tools)\//.test(path);
/** The files that bring in time, random ids and the console; all others have them passed in. No function can be passed to a thread. */
const isOutermost = (path: string) =>
  isWiring(path) ||
  /^(?:core\/ids|config\/config|ledger\/sqlite\/ledger-thread|install-checks\/doctor-thread)\.ts$/.test(path);

/** A construct that only some files may use. */
type SyntaxMark = "any" | "clock" | "console" | "default export" | "environment" | "random id";
interface AtLine<T> {
  line: number;
  what: T;
}
interface ModuleSource {
  /** From `src`, or from `tools/`; the first folder of a path is the module. */
  path: string;
  /** Includes type-only imports, re-exports, `import()` and the files of threads; relative ones are from `src`. */
  imports: AtLine<string>[];
  marks: AtLine<SyntaxMark>[];
}
/** The module that a node imports by `import`, `export … from`, `import()`, `import("…").Type`, `new URL("./thread.ts", …)`. */
function importedBy(node: SyntaxNode): string | null {
  const source = isSyntaxNode(node.source) ? node.source.value : null;
  if (typeof source === "string") return source;
  if (node.type !== "NewExpression" || nameOf(node.callee) !== "URL") return null;
  const first = nameOf((node.arguments as SyntaxNode[])[0]);
  return typeof first === "string" && /^\..*\.ts$/.test(first) ? first : null;
}

const MEMBERS: Record<string, SyntaxMark> = {
  "Date.now": "clock",
  "performance.now": "clock",
  "process.env": "environment",
};

function markOf(node: SyntaxNode): SyntaxMark | null {
  switch (node.type) {
    case "TSAnyKeyword":
      return "any";
    case "ExportDefaultDeclaration":
      return "default export";
    case "ExportSpecifier":
      return nameOf(node.exported) === "default" ? "default export" : null;
    case "NewExpression":
      return nameOf(node.callee) === "Date" && (node.arguments as SyntaxNode[]).length === 0 ? "clock" : null;
    case "Identifier":
      return node.name === "randomUUID" ? "random id" : null;
    case "MemberExpression":
      if (nameOf(node.object) === "console") return "console";
      return MEMBERS[`${nameOf(node.object)}.${nameOf(node.property)}`] ?? null;
    default:
      return null;
  }
}

function readSource(root: string, path: string, text: string): ModuleSource {
  const source: ModuleSource = { path, imports: [], marks: [] };
  const visit = (node: SyntaxNode) => {
    const line = lineAt(text, node.start);
    const imported = importedBy(node);
    if (imported !== null) {
      const isRelative = imported.startsWith(".");
      const what = isRelative ? relative(root, resolve(root, dirname(path), imported)) : imported;
      source.imports.push({ line, what });
    }
    const mark = markOf(node);
    if (mark !== null) source.marks.push({ line, what: mark });
    childNodes(node).forEach(visit);
  };
  visit(parseText(path, text));
  return source;
}

const readAll = (root: string): ModuleSource[] =>
  globSync("**/*.ts", { cwd: root }).map((path) =>
    readSource(root, path, readFileSync(join(root, path), "utf8")),
  );

const server = [
  ...readAll(SERVER),
  ...readAll(TOOLS).map((source) => ({ ...source, path: `tools/${source.path}` })),
];
const contract = readAll(CONTRACT);
const apiClient = readAll(API_CLIENT);
const all = [...server, ...contract];

/** The folder of a path; empty for the wiring. The tools belong to the command line. */
const moduleOf = (path: string) => (/^[^/]+(?=\/)/.exec(path)?.[0] ?? "").replace(/^tools$/, "cli");

function none(sources: ModuleSource[], findings: (source: ModuleSource) => AtLine<string>[]): void {
  assert.ok(sources.length > 0, "there are files to check");
  const places = sources.flatMap((source) =>
    findings(source).map(({ line, what }) => `${source.path}:${line} ${what}`),
  );
  assert.deepEqual(places, []);
}
const importNone = (sources: ModuleSource[], isForbidden: (imported: string, path: string) => boolean) =>
  none(sources, ({ path, imports }) => imports.filter(({ what }) => isForbidden(what, path)));
const markNone = (sources: ModuleSource[], ...forbidden: SyntaxMark[]) =>
  none(sources, ({ marks }) => marks.filter(({ what }) => forbidden.includes(what)));

/** Without packages and modules of Node. */
const files = new Set(server.map(({ path }) => path));

test("The checks find every import and every mark, and none in comments or strings.", () => {
  const text = `
    import type { A } from "../a.ts"; import "./b.ts"; export * from "../c/d.ts"; export { e } from "e";
    type F = import("./f.ts").F; const g = import("./g.ts"); new Worker(new URL("./h.ts", import.meta.url));
    // import "./no.ts"; process.env
    const text = \`import "./no.ts"; export default process.env.NO as any\`;
    const { x }: any = process.env; run(Date.now, new Date(), performance.now(), console, console.log);
    new Date(0); globalThis.crypto.randomUUID(); const y = z as any; const w = <any>z; new Map<string, any>();
    export { x as default };
    export default text;`;
  const { imports, marks } = readSource("/src", "room/file.ts", text);
  assert.deepEqual(
    imports.map(({ what }) => what),
    ["a.ts", "room/b.ts", "c/d.ts", "e", "room/f.ts", "room/g.ts", "room/h.ts"],
  );
  const counts = Object.fromEntries(
    Object.entries(Object.groupBy(marks, ({ what }) => what)).map(([what, found]) => [what, found.length]),
  );
  assert.deepEqual(counts, {
    any: 4,
    environment: 1,
    clock: 3,
    console: 1,
    "random id": 1,
    "default export": 2,
  });
});

test("The contract and the API client import only their own files and packages of others.", () => {
  const isOurs = (imported: string) => /^(?:\.|\/|@headwater\/)|\.[jt]s$/.test(imported);
  for (const sources of [contract, apiClient]) {
    const own = new Set(sources.map(({ path }) => path));
    importNone(sources, (imported) => isOurs(imported) && !own.has(imported));
  }
});

test("Only the command line uses the API client.", () => {
  const others = server.filter(({ path }) => !/^(?:cli|tools)\//.test(path));
  importNone(others, (imported) => imported.includes("packages/api/"));
});

test("ARCHITECTURE.md lists the modules of the server, each below those that import it.", () => {
  const modules = [...MODULES.keys()];
  const found = new Set(server.map(({ path }) => moduleOf(path)).filter((name) => name !== ""));
  assert.deepEqual(modules.toSorted(), [...found].toSorted());
  for (const [at, [name, imports]] of [...MODULES].entries())
    for (const imported of imports)
      assert.ok(
        modules.slice(0, at).includes(imported),
        `${name} stands above ${imported}, which it imports`,
      );
});

/** The imports from one module to another. */
const edges = server.flatMap(({ path, imports }) =>
  imports
    .filter(({ what }) => files.has(what))
    .map(({ line, what }) => ({ from: moduleOf(path), to: moduleOf(what), place: `${path}:${line} ${what}` }))
    .filter(({ from, to }) => from !== to && to !== "core" && !isFree(from, to)),
);

test("A file imports only its own module, core, and the modules that ARCHITECTURE.md allows.", () => {
  const forbidden = edges.filter(({ from, to }) => !MODULES.get(from)?.includes(to));
  assert.deepEqual(
    forbidden.map(({ place }) => place),
    [],
  );
});

test("Every import that ARCHITECTURE.md allows exists.", () => {
  const unused = [...MODULES].flatMap(([name, imports]) =>
    imports
      .filter((imported) => !edges.some(({ from, to }) => from === name && to === imported))
      .map((imported) => `${name} imports nothing of ${imported}`),
  );
  assert.deepEqual(unused, []);
});

test("The ledger's interface imports no engine.", () => {
  const port = server.filter(({ path }) => /^ledger\/[^/]+$/.test(path));
  importNone(port, (imported) => isAdapter(imported) && !imported.startsWith("ledger/catalog/"));
});

test("Only the wiring imports engines of the ledger and the embedded ClickHouse.", () => {
  const others = server.filter(({ path }) => !isWiring(path));
  importNone(others, (imported, path) => isAdapter(imported) && moduleOf(imported) !== moduleOf(path));
});

test("Only config.ts reads the environment.", () => {
  markNone(
    all.filter(({ path }) => path !== "config/config.ts"),
    "environment",
  );
});

test("Time, random ids and the console come in at the wiring only.", () => {
  markNone(
    all.filter(({ path }) => !isOutermost(path)),
    "clock",
    "random id",
    "console",
  );
});

test("There are no default exports.", () => {
  markNone(all, "default export");
});

test("The type any is not used.", () => {
  markNone(all, "any");
});

test("No file or folder is called utils, helpers, common or types.", () => {
  const names = all.flatMap(({ path }) => path.split("/").map((name) => basename(name, ".ts")));
  assert.deepEqual(
    names.filter((name) => /^(?:utils?|helpers?|commons?|types?)$/i.test(name)),
    [],
  );
});
