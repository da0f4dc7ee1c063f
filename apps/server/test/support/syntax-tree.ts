/** Parses the repository's sources, for the tests that read them. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";

export const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));

/** A node of the ESTree format, with TypeScript's nodes. */
export interface SyntaxNode {
  type: string;
  /** Offsets in the text. */
  start: number;
  end: number;
  [member: string]: unknown;
}

export interface ParsedFile {
  /** From the root of the repository. */
  path: string;
  text: string;
  program: SyntaxNode;
}

export const isSyntaxNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" &&
  value !== null &&
  "type" in value &&
  typeof value.type === "string" &&
  "start" in value;

export const childNodes = (node: SyntaxNode): SyntaxNode[] => Object.values(node).flat().filter(isSyntaxNode);

/** The node and all its descendants. */
export function* walk(node: SyntaxNode): Generator<SyntaxNode> {
  yield node;
  for (const child of childNodes(node)) yield* walk(child);
}

/** The name of an identifier or the value of a literal. */
export const nameOf = (node: unknown) => (isSyntaxNode(node) ? (node.name ?? node.value) : undefined);

/** The number of a line, from 1. */
export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

export function parseText(path: string, text: string): SyntaxNode {
  const program: unknown = parseAst(text, { lang: path.endsWith(".tsx") ? "tsx" : "ts" }, path);
  if (!isSyntaxNode(program)) throw new Error(`${path} has no syntax tree`);
  return program;
}

/** Parses every TypeScript file in the folders (paths from the root of the repository), except packages, fixtures and builds. */
export const parseFolders = (...folders: string[]): ParsedFile[] =>
  folders
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT }))
    .filter((path) => !/(?:^|\/)(?:node_modules|dist|fixtures|\.next)\/|\.d\.ts$/.test(path))
    .map((path) => {
      const text = readFileSync(join(ROOT, path), "utf8");
      return { path, text, program: parseText(path, text) };
    });
