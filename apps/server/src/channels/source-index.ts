/** An index of sources by host, host with path, and name. */
import type { KnownSource, SourceKind } from "./channel-of.ts";
import { siteOf, splitSuffix } from "./public-suffixes.ts";

export interface ListedSource {
  /** A host, a host with a path, a host under every public suffix (`google.*`), the webmail of one (`~gmx.*`), or a name without a dot. */
  readonly address: string;
  readonly source: KnownSource;
}

export interface SourceIndex {
  /** Adds a list, whose entries replace those of earlier lists. */
  add(list: readonly ListedSource[]): void;
  /** @param address a host with or without a path */
  find(address: string): KnownSource | null;
  named(text: string): KnownSource | null;
  /** The first labels of the hosts that have addresses with a path. The path of other referrers does not matter. */
  labelsWithPaths(): string[];
}

/** A source that is listed under at least 3 public suffixes (google.com, google.de, google.fr) is known under all suffixes. */
const MIN_SUFFIXES = 3;
const ANY_SUFFIX = ".*";
/** An address that begins with it names the webmail of a domain. */
const MAIL_OF = "~";
/** Hosts with more labels are looked up by their last ones. */
const MAX_LABELS = 10;

/** Subdomains of a search engine that search too. Others, such as docs.google.com, belong to the company only. */
const SEARCH_LABEL =
  /^(?:[a-z]{2}(?:-[a-z]{2})?|[mr]|mobile|int|ipv\d|images?|news|videos?|web|wap|www\d*|s\d+(?:-\w+)?|lite|html)$/;
/** The first label of hosts that no list has says what they are: search.example.net, webmail.example.org. */
const SEARCH_HOST =
  /^(?:(?:web|m)?search(?:\d|[-\w]*engine)?|suche|recherche|buscador|buscar?|busca|ricerca|pesquisa|szukaj|zoeken|otsing|poisk|hledat|haku|sok)\./;
const EMAIL_HOST =
  /^(?:[ew]?-?mail\d*|webmail\d*|mail[-\w]*|deref-[-\w]+|squirrelmail|roundcube|zimbra|owa)\./;
/** A label below a domain, of webmail and of what redirects from it: lightmailer-bs.gmx.net, 3c-bap.web.de, wx.mail.qq.com. */
const EMAIL_LABEL =
  /^(?:(?!gmail$)[-\w]*mail[-\w]*|owa|roundcube|zimbra|3c(?:-\w+)?|bap|navigator-\w+|messagerie\w*|rich-v\d+)$/;
/** A label of servers of the Fediverse: ro-mastodon.puyo.jp, toot.community, lemmy.example.org. */
const SOCIAL_LABEL =
  /^(?:(?:\w+-)?mastodont?(?:-\w+)?|mstdn|masto|toots?|fedi(?:verse)?|pleroma|akkoma|misskey|lemmy|pixelfed|friendica)$/;
const IS_MASTODON = /^(?:.*\.)?(?:[-\w]*mastodon|mstdn|masto|toot)/;

/** The kind of the labels below a domain. */
function kindOfLabels(labels: readonly string[]): SourceKind {
  if (SEARCH_HOST.test(`${labels[0]}.`)) return "search";
  if (labels.some((label) => EMAIL_LABEL.test(label))) return "email";
  return labels[0] === "social" || labels.some((label) => SOCIAL_LABEL.test(label)) ? "social" : null;
}

/** The kind of a host by its labels. The first one says it even if it belongs to the domain: webmail.example. */
function kindOfHost(host: string): SourceKind {
  if (SEARCH_HOST.test(host)) return "search";
  if (EMAIL_HOST.test(host)) return "email";
  const { name, suffix } = splitSuffix(host) ?? { name: "", suffix: "" };
  const labels = name.split(".");
  const domain = labels.pop() ?? "";
  const isSocial = SOCIAL_LABEL.test(domain) || suffix === "social";
  return kindOfLabels(labels) ?? (isSocial ? "social" : null);
}

/** The kind of a host whose first labels are below the domain of a search engine. */
const kindUnder = (labels: readonly string[], domain: string): SourceKind =>
  SEARCH_HOST.test(domain) ||
  labels.every((label) => SEARCH_LABEL.test(label) || SEARCH_HOST.test(`${label}.`))
    ? "search"
    : kindOfLabels(labels);

function splitAddress(address: string): { host: string; path: string } {
  const [, host = "", path = ""] = /^([^/]*)(.*)$/s.exec(address) ?? [];
  return {
    host: host
      .toLowerCase()
      .replace(/^www\d?\./, "")
      .replace(/\.$/, ""),
    path: path.replace(/\/+$/, ""),
  };
}

/** `Hacker News`, `hacker-news` and `hackernews` are one name. */
const nameKey = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}+.]/gu, "");

/** The host without its public suffix, as a key: `google.*`. null: the host has none. */
function keyOfAnySuffix(host: string): string | null {
  const split = splitSuffix(host);
  return split && split.name + ANY_SUFFIX;
}

/** The path and its beginnings, longest first; at last the empty path. */
function beginningsOf(path: string): string[] {
  const parts = path.split("/", 5);
  return parts.map((_, index) => parts.slice(0, parts.length - index).join("/"));
}

/** A name that a list has several times, such as Google for search and for ads, means the first of these. */
const KINDS_BY_RANK: readonly SourceKind[] = [
  "search",
  "social",
  "video",
  "shopping",
  "ai",
  "email",
  "display",
  null,
];
const rankOf = ({ kind }: KnownSource) => KINDS_BY_RANK.indexOf(kind);

const isSame = (one: KnownSource, other: KnownSource) => one.name === other.name && one.kind === other.kind;

/** The addresses of a list, where those under many public suffixes are one. */
function mergeSuffixes(list: readonly ListedSource[]): ListedSource[] {
  const groups = Map.groupBy(list, ({ address }) => {
    const { host, path } = splitAddress(address);
    return host.includes("*") || !host.includes(".") ? address : (keyOfAnySuffix(host) ?? host) + path;
  });
  return [...groups].flatMap(([address, listed]) => {
    const [first] = listed;
    const suffixes = new Set(listed.map((one) => splitAddress(one.address).host));
    const isMerged =
      suffixes.size >= MIN_SUFFIXES && listed.every((one) => isSame(one.source, first?.source ?? one.source));
    return isMerged && first ? [{ address, source: first.source }] : listed;
  });
}

/** The name of a host that no list has: that of its mail service, or the host. */
function nameOfHost(host: string, kind: SourceKind, listed: ReadonlyMap<string, KnownSource>): string {
  if (kind === "social") return IS_MASTODON.test(host) ? "Mastodon" : host;
  if (kind !== "email") return host;
  const site = siteOf(host);
  const service = listed.get(MAIL_OF + site) ?? listed.get(MAIL_OF + keyOfAnySuffix(site));
  return service?.name ?? host;
}

export function createSourceIndex(): SourceIndex {
  const byAddress = new Map<string, KnownSource>();
  const byName = new Map<string, KnownSource>();

  function add(list: readonly ListedSource[]): void {
    /** Equal sources are one object. */
    const sources = new Map<string, KnownSource>();
    for (const { address, source } of mergeSuffixes(list)) {
      const id = `${source.kind} ${source.name}`;
      const shared = sources.get(id) ?? source;
      sources.set(id, shared);
      const { host, path } = splitAddress(address);
      if (host.includes(".")) byAddress.set(host + path, shared);
      else byName.set(nameKey(host), shared);
    }
    const byRank = [...sources.values()].sort((a, b) => rankOf(b) - rankOf(a));
    for (const source of byRank) byName.set(nameKey(source.name), source);
  }

  /** The longest of the paths that a list has under one of the hosts. */
  function atHosts(hosts: readonly string[], paths: readonly string[]): KnownSource | null {
    for (const path of paths)
      for (const host of hosts) {
        const source = byAddress.get(host + path);
        if (source) return source;
      }
    return null;
  }

  function find(address: string): KnownSource | null {
    const { host, path } = splitAddress(address);
    const paths = beginningsOf(path);
    const labels = host.split(".").slice(-MAX_LABELS);
    const suffixLabels = splitSuffix(labels.join("."))?.suffix.split(".").length ?? labels.length;
    for (let at = 0; at < labels.length - 1; at += 1) {
      const domain = labels.slice(at).join(".");
      const name = labels.slice(at, -suffixLabels);
      const hosts = name.length > 0 ? [domain, name.join(".") + ANY_SUFFIX] : [domain];
      const source = atHosts(hosts, paths);
      if (source?.kind === "search") return { ...source, kind: kindUnder(labels.slice(0, at), domain) };
      if (source) return source;
    }
    const kind = kindOfHost(host);
    return kind && { name: nameOfHost(host, kind, byAddress), kind };
  }

  const labelsWithPaths = () => [
    ...new Set(
      [...byAddress.keys()]
        .filter((address) => address.includes("/"))
        .map((address) => address.split(".", 1)[0] ?? "")
        .filter((label) => /^[a-z0-9-]+$/.test(label)),
    ),
  ];

  return { add, find, named: (text) => byName.get(nameKey(text)) ?? null, labelsWithPaths };
}
