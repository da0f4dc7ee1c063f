/** The install page's snippets, pasted as they are. (The browser snippet carries every other browser test.) */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { browserTest } from "./browser.ts";

/** A small app around the pasted file. Beside the sources, so that it finds React where an app would. */
async function bundleReactApp(example: string): Promise<string> {
  const scratch = fileURLToPath(new URL("../dist", import.meta.url));
  await mkdir(scratch, { recursive: true });
  const folder = await mkdtemp(join(scratch, "react-"));
  try {
    await writeFile(join(folder, "headwater.tsx"), example);
    const main = join(folder, "main.tsx");
    await writeFile(
      main,
      `import { StrictMode, useEffect } from "react";
      import { createRoot } from "react-dom/client";
      import { Headwater, track } from "./headwater";
      track("before the script", { n: 1 });
      function App() {
        const navigate = () => { history.pushState(null, "", "/next"); track("clicked"); };
        return <button onClick={navigate}>Next</button>;
      }
      createRoot(document.getElementById("root")!).render(<StrictMode><Headwater /><App /></StrictMode>);`,
    );
    const { output } = await build({
      input: main,
      cwd: dirname(main),
      platform: "browser",
      transform: { define: { "process.env.NODE_ENV": '"development"' }, jsx: { runtime: "automatic" } },
      output: { format: "iife" },
      write: false,
      logLevel: "silent",
    });
    return output[0].code;
  } finally {
    await rm(folder, { recursive: true });
  }
}

browserTest("The React example counts one view under StrictMode, and the navigations.", async (visit) => {
  const { ingest, install, page, site } = visit;
  site.showHead("");
  const app = await bundleReactApp(install.reactExample);
  await page.goto(`${site.url}/`);
  await page.addScriptTag({ content: app });
  await ingest.until(() => ingest.events().length >= 2);
  await page.getByRole("button").click();
  await ingest.until(() => ingest.events().some(({ name }) => name === "clicked"));
  assert.deepEqual(
    ingest.events().map((event) => event.name ?? event.page?.path),
    ["/", "before the script", "/next", "clicked"],
  );
  assert.deepEqual(ingest.events()[1]?.properties, { n: 1 });
});
