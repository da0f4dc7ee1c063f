/** Links of the documents, and what code and configuration say about the documents: each file and each heading exists. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const filesOfGit = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
});
const files = filesOfGit.split("\0").filter((path) => path !== "" && existsSync(join(ROOT, path)));
const documents = files.filter((path) => path.endsWith(".md"));
const others = files.filter((path) =>
  /\.(?:[jt]sx?|mjs|ya?ml|json|sql|service|timer|sh|conf)$|(?:Caddyfile|Dockerfile)$/.test(path),
);

const withoutCode = (text: string) => text.replaceAll(/^( *)```.*?^\1```/gms, "");

/** The text of a heading without its markup. */
const plain = (heading: string) =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .trim();
/** The anchor that GitHub gives a heading. */
const slug = (heading: string) =>
  plain(heading)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
const headingsIn = (text: string) =>
  [...withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => heading);

function anchorsIn(text: string): Set<string> {
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = ""]) => id));
  const seen = new Map<string, number>();
  for (const heading of headingsIn(text)) {
    const anchor = slug(heading);
    const count = seen.get(anchor) ?? 0;
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
    seen.set(anchor, count + 1);
  }
  return anchors;
}

/** What is wrong with a link; null: nothing. */
function problemOf(path: string, anchor = ""): string | null {
  if (!existsSync(join(ROOT, path))) return `there is no ${path}`;
  if (anchor === "") return null;
  return anchorsIn(read(path)).has(anchor) ? null : `${path} has no #${anchor}`;
}

test("Anchors are those of GitHub.", () => {
  const text = '# One\n## `a.md`: two, three!\n## One\n```\n# no\n```\n<a id="four"></a>';
  assert.deepEqual([...anchorsIn(text)].toSorted(), ["amd-two-three", "four", "one", "one-1"]);
  assert.equal(problemOf("none.md"), "there is no none.md");
  assert.equal(problemOf("README.md", "none"), "README.md has no #none");
});

test("Every relative link of every document leads to a file and to a heading in it.", () => {
  const problems = documents.flatMap((document) => {
    const links = withoutCode(read(document)).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g);
    return [...links]
      .map(([, link, attribute]) => link ?? attribute ?? "")
      .filter((link) => !/^(?:[a-z]+:|\/)/.test(link))
      .map((link) => {
        const [path = "", anchor] = link.split("#");
        return problemOf(path === "" ? document : join(dirname(document), path), anchor);
      })
      .filter((problem) => problem !== null)
      .map((problem) => `${document}: ${problem}`);
  });
  assert.deepEqual(problems, []);
});

/** The text without line breaks, and without what begins the lines of a comment. */
const joined = (text: string) => text.replaceAll(/\n\s*(?:\*(?!\/)|\/\/|#)?\s*/g, " ");
const NAMED = /\b(?:docs|deploy|bench|packages)\/[\w/-]+\.md\b/;
/** `docs/operate.md, "Runbook"` and `"Runbook" in docs/operate.md`. */
const HEADINGS = [
  new RegExp(`(?<path>${NAMED.source}), \\\\?"(?<heading>[^"\\\\]+)\\\\?"`, "g"),
  new RegExp(`\\\\?"(?<heading>[^"\\\\]+)\\\\?" in (?<path>${NAMED.source})`, "g"),
];

test("Every document that the code and other documents name exists, with the anchor and the heading that they name.", () => {
  const problems = [...others, ...documents].flatMap((file) => {
    const text = joined(read(file));
    const named = text.matchAll(new RegExp(`(?<![\\w./-])(${NAMED.source})(?:#([\\w-]+))?`, "g"));
    const missing = [...named].map(([, path = "", anchor]) => problemOf(path, anchor));
    const headings = HEADINGS.flatMap((pattern) => [...text.matchAll(pattern)]).map(({ groups }) => {
      const { path = "", heading = "" } = groups ?? {};
      if (!existsSync(join(ROOT, path)) || headingsIn(read(path)).map(plain).includes(heading)) return null;
      return `${path} has no heading "${heading}"`;
    });
    return [...missing, ...headings]
      .filter((problem) => problem !== null)
      .map((problem) => `${file}: ${problem}`);
  });
  assert.deepEqual(problems, []);
});
