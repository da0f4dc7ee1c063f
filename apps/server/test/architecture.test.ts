/** What of ARCHITECTURE.md can be checked by reading the sources. Each finding names its file and line. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";

const SERVER = fileURLToPath(new URL("../src", import.meta.url));
const CONTRACT = fileURLToPath(new URL("../../../packages/contract/src", import.meta.url));
const CONSOLE = fileURLToPath(new URL("../../console/src", import.meta.url));

/** Every other folder of the server is a room. */
const NOT_ROOMS = ["cli", "http", "ledger", "warehouse"];
const isRoom = (folder: string) => folder !== "" && !NOT_ROOMS.includes(folder);
const isAdapter = (path: string) =>
  /^(?:ledger\/(?:sqlite|postgres|register)|warehouse\/embedded)\//.test(path);
/** The files that join rooms and adapters. */
const isWiring = (path: string) =>
  /^(?:server|service|open-ledger|open-warehouse|compile-ahead|attempts-thread|main)\.ts$|^cli\//.test(path);
/** The files that bring time, ids and a terminal in; everything else gets them handed. */
const isOutermost = (path: string) => isWiring(path) || /^(?:ids|config)\.ts$/.test(path);
/** A suite is a test that lies beside the port that it is about. */
const isSuite = (path: string) => path.endsWith(".suite.ts");

const MAX_LINES = 300;

type Mark = "any" | "clock" | "console" | "default export" | "environment" | "random id";
interface Found<T> {
  line: number;
  what: T;
}
interface Source {
  /** From its own `src`; for the server the first folder is the area. */
  path: string;
  lines: number;
  /** Type-only ones, re-exports, `import()` and the files of threads among them; relative ones from `src`. */
  imports: Found<string>[];
  marks: Found<Mark>[];
}
interface Node {
  type: string;
  start: number;
  [member: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === "string";
const children = (node: Node) => Object.values(node).flat().filter(isNode);
const nameOf = (node: unknown) => (isNode(node) ? (node.name ?? node.value) : undefined);

/** What a node imports: `import`, `export … from`, `import()`, `import("…").Type`, `new URL("./thread.ts", …)`. */
function importedBy(node: Node): string | null {
  const source = isNode(node.source) ? node.source.value : null;
  if (typeof source === "string") return source;
  if (node.type !== "NewExpression" || nameOf(node.callee) !== "URL") return null;
  const first = nameOf((node.arguments as Node[])[0]);
  return typeof first === "string" && /^\..*\.ts$/.test(first) ? first : null;
}

const MEMBERS: Record<string, Mark> = {
  "Date.now": "clock",
  "performance.now": "clock",
  "process.env": "environment",
};

function markOf(node: Node): Mark | null {
  switch (node.type) {
    case "TSAnyKeyword":
      return "any";
    case "ExportDefaultDeclaration":
      return "default export";
    case "ExportSpecifier":
      return nameOf(node.exported) === "default" ? "default export" : null;
    case "NewExpression":
      return nameOf(node.callee) === "Date" && (node.arguments as Node[]).length === 0 ? "clock" : null;
    case "Identifier":
      return node.name === "randomUUID" ? "random id" : null;
    case "MemberExpression":
      if (nameOf(node.object) === "console") return "console";
      return MEMBERS[`${nameOf(node.object)}.${nameOf(node.property)}`] ?? null;
    default:
      return null;
  }
}

function readSource(root: string, path: string, text: string): Source {
  const source: Source = { path, lines: text.trimEnd().split("\n").length, imports: [], marks: [] };
  const visit = (node: Node) => {
    const line = text.slice(0, node.start).split("\n").length;
    const imported = importedBy(node);
    if (imported !== null) {
      const isRelative = imported.startsWith(".");
      const what = isRelative ? relative(root, resolve(root, dirname(path), imported)) : imported;
      source.imports.push({ line, what });
    }
    const mark = markOf(node);
    if (mark !== null) source.marks.push({ line, what: mark });
    children(node).forEach(visit);
  };
  visit(parseAst(text, { lang: "ts" }, path) as unknown as Node);
  return source;
}

const readAll = (root: string): Source[] =>
  globSync("**/*.ts", { cwd: root }).map((path) =>
    readSource(root, path, readFileSync(join(root, path), "utf8")),
  );

const server = readAll(SERVER);
const contract = readAll(CONTRACT);
const all = [...server, ...contract];

const folderOf = (path: string) => /^[^/]+(?=\/)/.exec(path)?.[0] ?? "";
const rooms = server.filter(({ path }) => isRoom(folderOf(path)));
const inFolder = (folder: string) => server.filter(({ path }) => folderOf(path) === folder);

function none(sources: Source[], findings: (source: Source) => Found<string>[]): void {
  assert.ok(sources.length > 0, "there is something to look at");
  const places = sources.flatMap((source) =>
    findings(source).map(({ line, what }) => `${source.path}:${line} ${what}`),
  );
  assert.deepEqual(places, []);
}
const importNone = (sources: Source[], isForbidden: (imported: string, path: string) => boolean) =>
  none(sources, ({ path, imports }) => imports.filter(({ what }) => isForbidden(what, path)));
const markNone = (sources: Source[], ...forbidden: Mark[]) =>
  none(sources, ({ marks }) => marks.filter(({ what }) => forbidden.includes(what)));

/** Packages and modules of Node are not among them. */
const files = new Set(server.map(({ path }) => path));
const isOfRoom = (imported: string) => files.has(imported) && isRoom(folderOf(imported));

test("The reader of these sources finds every import and every mark, and none in a comment or a text.", () => {
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

test("The contract imports nothing of ours but its own files.", () => {
  const own = new Set(contract.map(({ path }) => path));
  const isOurs = (imported: string) => /^(?:\.|\/|@headwater\/)|\.[jt]s$/.test(imported);
  importNone(contract, (imported) => isOurs(imported) && !own.has(imported));
});

test("A room imports no other room, not even a type of it.", () => {
  importNone(rooms, (imported, path) => isOfRoom(imported) && folderOf(imported) !== folderOf(path));
});

test("A room imports nothing of http/ and no adapter of the ledger or the warehouse.", () => {
  importNone(rooms, (imported) => folderOf(imported) === "http" || isAdapter(imported));
});

test("A room imports no wiring: what it needs is handed in.", () => {
  importNone(rooms, (imported) => isWiring(imported) || imported === "routes.ts");
});

test("ledger/ and warehouse/ import no room and nothing of http/.", () => {
  importNone(
    [...inFolder("ledger"), ...inFolder("warehouse")],
    (imported) => isOfRoom(imported) || folderOf(imported) === "http",
  );
});

test("The ledger's port imports no adapter.", () => {
  const port = server.filter(({ path }) => /^ledger\/[^/]+$/.test(path));
  importNone(port, isAdapter);
});

test("http/ imports no room and no adapter.", () => {
  importNone(inFolder("http"), (imported) => isOfRoom(imported) || isAdapter(imported));
});

test("Only the wiring imports adapters, and only it and routes.ts import rooms.", () => {
  const others = server.filter(({ path }) => !isWiring(path));
  importNone(others, (imported, path) => isAdapter(imported) && folderOf(imported) !== folderOf(path));
  const unindexed = others.filter(({ path }) => path !== "routes.ts");
  importNone(unindexed, (imported, path) => isOfRoom(imported) && folderOf(imported) !== folderOf(path));
});

test("Only config.ts reads the environment.", () => {
  markNone(
    all.filter(({ path }) => path !== "config.ts" && !isSuite(path)),
    "environment",
  );
});

test("Time, random ids and the console come in at the wiring only.", () => {
  markNone(
    all.filter(({ path }) => !isOutermost(path) && !isSuite(path)),
    "clock",
    "random id",
    "console",
  );
});

test("Nothing is exported as default.", () => {
  markNone(all, "default export");
});

test("Nothing is of the type any.", () => {
  markNone(all, "any");
});

test("No file or folder is called utils, helpers, common or types.", () => {
  const names = all.flatMap(({ path }) => path.split("/").map((name) => basename(name, ".ts")));
  assert.deepEqual(
    names.filter((name) => /^(?:utils?|helpers?|commons?|types?)$/i.test(name)),
    [],
  );
});

test(`No file is longer than ${MAX_LINES} lines.`, () => {
  const named = [
    ...server.map((one) => ({ ...one, path: `apps/server/src/${one.path}` })),
    ...contract.map((one) => ({ ...one, path: `packages/contract/src/${one.path}` })),
  ];
  const ofConsole = globSync("**/*.{ts,tsx}", { cwd: CONSOLE }).map((path) => ({
    path: `apps/console/src/${path}`,
    lines: readFileSync(join(CONSOLE, path), "utf8").trimEnd().split("\n").length,
  }));
  assert.ok(ofConsole.length > 0, "there is something to look at");
  const long = [...named, ...ofConsole].filter(({ lines }) => lines > MAX_LINES).map(({ path }) => path);
  assert.deepEqual(long, []);
});
