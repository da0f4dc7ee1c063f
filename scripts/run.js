// `node scripts/run.js <program> [arguments]`: runs a program of this repository, with the Node of node_modules when this one is
// too old. Plain JavaScript without packages, so that an old Node can run it.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { requireNode } from "../apps/server/bin/require-node.js";

await requireNode();
const [node, , program, ...words] = process.argv;
process.argv = [node, resolve(program), ...words];
await import(pathToFileURL(process.argv[1]).href);
