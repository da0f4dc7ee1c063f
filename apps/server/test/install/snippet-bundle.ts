/** A snippet of the install payload in an application, bundled and minified as the real ones are. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const DEPENDENCIES = fileURLToPath(new URL("../../../../node_modules", import.meta.url));

/** What the file's first line calls it; Astro's has a fence before it. */
const pathOf = (snippet: string) => /^(?:---\n)?\/\/ (\S+)\n/.exec(snippet)?.[1] ?? "";

/** The application's script, with the snippet's file where the snippet says that it belongs. */
export async function bundle(
  snippet: string,
  main: string,
  plugins: Record<string, string> = {},
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "headwater-snippet-"));
  try {
    await symlink(DEPENDENCIES, join(folder, "node_modules"));
    for (const [path, text] of Object.entries({
      [pathOf(snippet)]: snippet,
      "src/main.ts": main,
      ...plugins,
    })) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const { output } = await build({
      input: join(folder, "src/main.ts"),
      output: { format: "iife", minify: true },
      write: false,
      logLevel: "silent",
    });
    return output[0].code;
  } finally {
    await rm(folder, { recursive: true });
  }
}
