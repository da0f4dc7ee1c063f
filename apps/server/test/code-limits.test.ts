/** Limits that keep the code readable: assertions, functions, parameters, names, cycles, folders. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  isSyntaxNode,
  lineAt,
  nameOf,
  type ParsedFile,
  parseFolders,
  parseText,
  type SyntaxNode,
  walk,
} from "./support/syntax-tree.ts";

/**
 * How many places still break each rule. Lower a number when you have removed some places; never raise one. The aim is
 * 0, except for explained type assertions.
 */
const ALLOWED = {
  typeAssertions: 30,
  unexplainedTypeAssertions: 0,
  nonNullAssertions: 0,
  longFunctions: 0,
  functionsWithManyParameters: 0,
  repeatedTypeNames: 0,
  importCycles: 0,
  largeFolders: 0,
};

const MAX_FUNCTION_LINES = 60;
const MAX_PARAMETERS = 4;
const MAX_FOLDER_FILES = 40;

const server = parseFolders("apps/server/src", "apps/server/tools");
const contract = parseFolders("packages/contract/src");
const all = parseFolders("apps", "packages", "bench");

/** @param found a line for each place */
function checkCount(rule: keyof typeof ALLOWED, found: readonly string[]): void {
  assert.ok(all.length > 100, "there are files to check");
  const message = `${found.length} places, ${ALLOWED[rule]} are allowed:\n${found.join("\n")}`;
  assert.ok(found.length <= ALLOWED[rule], message);
}

const placeOf = ({ path, text }: ParsedFile, { start }: SyntaxNode) => `${path}:${lineAt(text, start)}`;

/** `as`, without `as const`. */
const isTypeAssertion = ({ type, typeAnnotation }: SyntaxNode): boolean =>
  type === "TSAsExpression" && !(isSyntaxNode(typeAnnotation) && nameOf(typeAnnotation.typeName) === "const");

const COMMENT = /(?:^|\s)\/\/|\/\*|^\s*\*/;

/** Whether a comment is on the line of the expression or of its type, or on the line before one of them. */
function isExplained(text: string, { start, typeAnnotation }: SyntaxNode): boolean {
  const lines = text.split("\n");
  const starts = isSyntaxNode(typeAnnotation) ? [start, typeAnnotation.start] : [start];
  return starts
    .map((offset) => lineAt(text, offset))
    .some((line) => COMMENT.test(lines[line - 1] ?? "") || COMMENT.test(lines[line - 2] ?? ""));
}

const isFunction = ({ type, body }: SyntaxNode): boolean =>
  /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type) && isSyntaxNode(body);

const lengthOf = (text: string, { start, end }: SyntaxNode): number =>
  lineAt(text, end) - lineAt(text, start) + 1;

const find = (files: readonly ParsedFile[], matches: (node: SyntaxNode, file: ParsedFile) => boolean) =>
  files.flatMap((file) =>
    [...walk(file.program)].filter((node) => matches(node, file)).map((node) => placeOf(file, node)),
  );

const DECLARATION = /^(?:TSInterfaceDeclaration|TSTypeAliasDeclaration|ClassDeclaration|TSEnumDeclaration)$/;

/** The names of the types that a file declares at its top level. */
function declaredTypes({ program }: ParsedFile): string[] {
  const statements = Array.isArray(program.body) ? program.body.filter(isSyntaxNode) : [];
  return statements
    .map((statement) => (isSyntaxNode(statement.declaration) ? statement.declaration : statement))
    .filter(({ type }) => DECLARATION.test(type))
    .map(({ id }) => String(nameOf(id)));
}

/** The files that a file imports or re-exports; `import()` is left out. */
function staticImports({ path, program }: ParsedFile): string[] {
  const statements = Array.isArray(program.body) ? program.body.filter(isSyntaxNode) : [];
  return statements
    .map(({ source }) => nameOf(source))
    .filter((source) => typeof source === "string")
    .filter((source) => source.startsWith("."))
    .map((source) => normalize(join(dirname(path), source)));
}

/** Each cycle once, as the chain of its files. */
function findCycles(files: readonly ParsedFile[]): string[] {
  const imports = new Map(files.map((file) => [file.path, staticImports(file)]));
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, chain: readonly string[]) => {
    const at = chain.indexOf(path);
    if (at !== -1) cycles.push([...chain.slice(at), path].join(" → "));
    if (at !== -1 || finished.has(path)) return;
    for (const imported of imports.get(path) ?? []) visit(imported, [...chain, path]);
    finished.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return cycles;
}

test("The checks find what they look for.", () => {
  const text = `
    const a = [b as unknown as C, d!] as const;

    const e = f as G; // because
    class H {} export interface I {} type J = 1;
    import "./k.ts"; export * from "../l.ts"; const m = import("./n.ts");`;
  const file = { path: "x/y/file.ts", text, program: parseText("file.ts", text) };
  const assertions = [...walk(file.program)].filter(isTypeAssertion);
  assert.deepEqual(
    assertions.map((node) => isExplained(text, node)),
    [false, false, true],
  );
  assert.deepEqual(
    find([file], ({ type }) => type === "TSNonNullExpression"),
    ["x/y/file.ts:2"],
  );
  assert.deepEqual(declaredTypes(file), ["H", "I", "J"]);
  assert.deepEqual(staticImports(file), ["x/y/k.ts", "x/l.ts"]);
  const one = { path: "one.ts", text: "", program: parseText("one.ts", 'import "./two.ts";') };
  const two = { path: "two.ts", text: "", program: parseText("two.ts", 'export * from "./one.ts";') };
  assert.deepEqual(findCycles([one, two]), ["one.ts → two.ts → one.ts"]);
});

test("The server has few type assertions.", () => {
  checkCount("typeAssertions", find(server, isTypeAssertion));
});

test("Every type assertion of the server has a comment that explains it.", () => {
  checkCount(
    "unexplainedTypeAssertions",
    find(server, (node, { text }) => isTypeAssertion(node) && !isExplained(text, node)),
  );
});

test("The server has no non-null assertions.", () => {
  checkCount(
    "nonNullAssertions",
    find(server, ({ type }) => type === "TSNonNullExpression"),
  );
});

test(`No function has more than ${MAX_FUNCTION_LINES} lines.`, () => {
  const isLong = (node: SyntaxNode, { text }: ParsedFile) =>
    isFunction(node) && lengthOf(text, node) > MAX_FUNCTION_LINES;
  checkCount("longFunctions", find([...server, ...contract], isLong));
});

test(`No function has more than ${MAX_PARAMETERS} parameters.`, () => {
  const hasMany = (node: SyntaxNode) =>
    isFunction(node) && Array.isArray(node.params) && node.params.length > MAX_PARAMETERS;
  checkCount("functionsWithManyParameters", find([...server, ...contract], hasMany));
});

test("A name belongs to one type in the whole repository.", () => {
  const files = Map.groupBy(
    all.flatMap((file) => declaredTypes(file).map((name) => ({ name, path: file.path }))),
    ({ name }) => name,
  );
  const repeated = [...files]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name}: ${places.map(({ path }) => path).join(", ")}`);
  checkCount("repeatedTypeNames", repeated);
});

test("The server's files do not import each other in a circle.", () => {
  checkCount("importCycles", findCycles(server));
});

test(`No folder has more than ${MAX_FOLDER_FILES} files.`, () => {
  const folders = Map.groupBy(all, ({ path }) => dirname(path));
  const large = [...folders].filter(([, files]) => files.length > MAX_FOLDER_FILES);
  checkCount(
    "largeFolders",
    large.map(([folder, files]) => `${folder}: ${files.length}`),
  );
});

const CONSOLE_PAGES = fileURLToPath(new URL("../../console/src/pages", import.meta.url));

/** The classes that rules of a stylesheet begin with, without those of what contains something of the page (`:has`). */
function leadingClasses(css: string) {
  let plain = css.replaceAll(/\/\*.*?\*\//gs, "");
  while (/\([^()]*\)/.test(plain)) plain = plain.replaceAll(/\([^()]*\)/g, "");
  const rules = plain.matchAll(/(?<=^|[{},])\s*\.([\w-]+)(?![\w-]|:has)[^{},]*(?=[{,])/g);
  return [...rules].map(([, name]) => name);
}

test("A class of the console has rules in the stylesheets of one page: those of another page can be loaded at any time.", () => {
  const pages = new Map<string, Set<string>>();
  for (const file of globSync("**/*.css", { cwd: CONSOLE_PAGES })) {
    const page = file.split("/")[0]!;
    for (const name of leadingClasses(readFileSync(join(CONSOLE_PAGES, file), "utf8")))
      pages.set(name!, (pages.get(name!) ?? new Set()).add(page));
  }
  assert.ok(pages.size > 100, "there are classes to check");
  const shared = [...pages].filter(([, of]) => of.size > 1).map(([name, of]) => `${name}: ${[...of]}`);
  assert.deepEqual(shared, []);
});
