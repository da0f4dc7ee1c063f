/** The install page's React and Next.js examples, pasted unchanged into minimal apps. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type BuildOptions, build } from "rolldown";

/** @param use receives the bundle of main.tsx and a folder in which React resolves as in an app */
async function withBundle<T>(
  files: Record<string, string>,
  options: BuildOptions,
  use: (code: string, folder: string) => T,
): Promise<Awaited<T>> {
  const scratch = fileURLToPath(new URL("../dist", import.meta.url));
  await mkdir(scratch, { recursive: true });
  const folder = await mkdtemp(join(scratch, "react-"));
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    const { output } = await build({
      input: join(folder, "main.tsx"),
      cwd: folder,
      transform: { define: { "process.env.NODE_ENV": '"development"' }, jsx: { runtime: "automatic" } },
      write: false,
      logLevel: "silent",
      ...options,
    });
    return await use(output[0].code, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Bundles the example inside StrictMode, with an early `track` and a button that navigates to /next. */
export const bundleReactApp = (example: string): Promise<string> =>
  withBundle(
    {
      "headwater.tsx": example,
      "main.tsx": `import { StrictMode, useEffect } from "react";
      import { createRoot } from "react-dom/client";
      import { Headwater, track } from "./headwater";
      track("before the script", { n: 1 });
      function App() {
        const navigate = () => { history.pushState(null, "", "/next"); track("clicked"); };
        return <button onClick={navigate}>Next</button>;
      }
      createRoot(document.getElementById("root")!).render(<StrictMode><Headwater /><App /></StrictMode>);`,
    },
    { platform: "browser", output: { format: "iife" } },
    (code) => code,
  );

/** Bundles the module's `App` inside StrictMode. */
export const bundleStrictApp = (module: string): Promise<string> =>
  withBundle(
    {
      "app.tsx": module,
      "main.tsx": `import { StrictMode } from "react";
      import { createRoot } from "react-dom/client";
      import { App } from "./app";
      createRoot(document.getElementById("root")!).render(<StrictMode><App /></StrictMode>);`,
    },
    { platform: "browser", output: { format: "iife" } },
    (code) => code,
  );

/** A stand-in for the `next` package, which has 340 MB. */
const router = {
  name: "router",
  resolveId: (id: string) => (id === "next/navigation.js" ? id : null),
  load: (id: string) =>
    id === "next/navigation.js"
      ? `export const usePathname = () => "/"; export const useSearchParams = () => new URLSearchParams();`
      : null,
};

/** Bundles the module, which may import the Next.js entry point. */
export const bundleNextModule = (module: string): Promise<string> =>
  withBundle(
    { "main.tsx": module },
    { platform: "browser", plugins: [router], output: { format: "iife" } },
    (code) => code,
  );

/** A root layout of its own, with the example added to its body as the example says. */
export const addToNextLayout = (example: string): string => `import type { ReactNode } from "react";
declare global { interface Window { headwater?: (command: string, ...args: unknown[]) => void } }
export const metadata = { title: "Shop" };
export default function RootLayout({ children }: Readonly<{ children: ReactNode }>) {
  return (
    <html lang="en">
      <body className="own-font">
        ${example}
        {children}
      </body>
    </html>
  );
}
`;

/** Renders the server's HTML. */
export const renderNextLayout = (example: string): Promise<string> =>
  withBundle(
    {
      "layout.tsx": addToNextLayout(example),
      "main.tsx": `import { renderToStaticMarkup } from "react-dom/server";
      import RootLayout from "./layout";
      export const html = "<!doctype html>" + renderToStaticMarkup(<RootLayout><p>Home</p></RootLayout>);`,
    },
    { platform: "node", external: [/^react/] },
    async (code, folder) => {
      const file = join(folder, "main.mjs");
      await writeFile(file, code);
      return ((await import(pathToFileURL(file).href)) as { html: string }).html;
    },
  );

/** A page's module with the package's client, which sends one event. Unlike the script it is strict. */
export const bundlePackage = (options: Record<string, unknown>): Promise<string> =>
  withBundle(
    {
      "main.tsx": `import { createClient } from "../../src/index.ts";
      createClient(${JSON.stringify(options)}).track("from the package");`,
    },
    { platform: "browser", output: { format: "es" } },
    (code) => code,
  );
