/** Finds the operation of the contract's table that a path and a method ask for. */
import type { Operation } from "@headwater/contract";

interface RouteNode {
  readonly children: Map<string, RouteNode>;
  /** The child for a path parameter, and the parameter's name. */
  parameter: { readonly name: string; readonly node: RouteNode } | null;
  readonly operations: Map<string, Operation>;
  isIngest: boolean;
}

export interface RouteMatch {
  /** By method. */
  readonly operations: ReadonlyMap<string, Operation>;
  readonly isIngest: boolean;
  /** Path parameters as they were sent, still percent-encoded. `strayPath`: the path is of no operation. */
  readonly params: Record<string, string>;
}

const createNode = (): RouteNode => ({
  children: new Map(),
  parameter: null,
  operations: new Map(),
  isIngest: false,
});

function childOf(node: RouteNode, segment: string): RouteNode {
  if (segment.startsWith(":")) {
    node.parameter ??= { name: segment.slice(1), node: createNode() };
    return node.parameter.node;
  }
  const child = node.children.get(segment) ?? createNode();
  node.children.set(segment, child);
  return child;
}

function addRoute(root: RouteNode, path: string, operation: Operation): void {
  const node = path.slice(1).split("/").reduce(childOf, root);
  const { operations } = node;
  node.isIngest = operation.access === "public-key";
  operations.set(operation.method, operation);
  if (operation.method === "GET") operations.set("HEAD", operation);
}

function findFrom(node: RouteNode, segments: readonly string[], at: number): RouteMatch | null {
  const segment = segments[at];
  const { operations, isIngest } = node;
  if (segment === undefined) return operations.size > 0 ? { operations, isIngest, params: {} } : null;
  const child = node.children.get(segment);
  const found = child ? findFrom(child, segments, at + 1) : null;
  if (found || !node.parameter || segment === "") return found;
  const { name, node: next } = node.parameter;
  const rest = findFrom(next, segments, at + 1);
  if (rest) rest.params[name] = segment;
  return rest;
}

/** Paths below a public key that no operation has. */
const STRAY_PATH = /^\/api\/compat\/([^/]+)\/(.*)$/;

/** Any client may read why such a path is refused, as on the other paths of ingest. */
function findStray(path: string): RouteMatch | null {
  const [, publicKey, strayPath] = STRAY_PATH.exec(path) ?? [];
  if (publicKey === undefined || strayPath === undefined) return null;
  return { operations: new Map(), isIngest: true, params: { publicKey, strayPath } };
}

/** A proxy guards this path, which needs no token, by its exact name. */
const GUARDED = "/metrics";

export type Router = (path: string) => RouteMatch | null;

export function createRouter(operations: readonly Operation[]): Router {
  const root = createNode();
  for (const operation of operations) {
    addRoute(root, operation.path, operation);
    if (operation.path !== GUARDED) addRoute(root, `${operation.path}/`, operation);
  }
  return (path) =>
    path.startsWith("/") ? (findFrom(root, path.slice(1).split("/"), 0) ?? findStray(path)) : null;
}

/** The methods of a path, for the header `Allow`. */
export const allowedMethods = ({ operations }: RouteMatch): string =>
  [...operations.keys(), "OPTIONS"].join(", ");
