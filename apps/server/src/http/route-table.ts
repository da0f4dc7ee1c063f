/** Which methods a path takes, for `Allow` (CONTRACT section 1, 405). */
import type { Operation } from "@headwater/contract";

interface Route {
  readonly path: RegExp;
  readonly methods: Set<string>;
}

const patternOf = (path: string) => new RegExp(`^${path.replaceAll(".", "\\.").replace(/:\w+/g, "[^/]+")}$`);

function addMethod(methods: Set<string>, method: string): void {
  methods.add(method);
  if (method === "GET") methods.add("HEAD");
}

/** @returns the methods of a URL's path as `Allow` lists them; null when there is no such path */
export function createRouteTable(operations: readonly Operation[]): (url: string) => string | null {
  const routes = new Map<string, Route>();
  for (const { path, method } of operations) {
    const route = routes.get(path) ?? { path: patternOf(path), methods: new Set<string>() };
    addMethod(route.methods, method);
    routes.set(path, route);
  }
  return (url) => {
    const path = url.split("?", 1)[0]!;
    const methods = [...routes.values()]
      .filter((route) => route.path.test(path))
      .flatMap((route) => [...route.methods]);
    return methods.length === 0 ? null : [...new Set(methods), "OPTIONS"].join(", ");
  };
}
