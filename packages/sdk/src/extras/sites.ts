import { documentMember } from "../document.ts";
import { idLength } from "../session.ts";
import { openStorage } from "./open-storage.ts";
import { passOn, receiveVisit, renderVisit, type SharedVisit } from "./site-links.ts";

/** How the visitors of a source are shared over hosts. */
export interface SitesOptions {
  readonly publicKey: string;
  /** The hosts below the registrable domain share visitor and session in a cookie. */
  readonly crossSubdomain?: boolean | "true" | "false" | undefined;
  /** Host names, separated by spaces or commas. Links to them continue the session there. */
  readonly linkDomains?: string | undefined;
}

declare global {
  interface Window {
    /** The storage of the client with the persistence "site". */
    siteStorage?: Storage;
  }
}

/** Browsers keep a cookie for at most 400 days. */
const maxAgeS = 34_560_000;

const readCookie = (name: string): string | undefined =>
  documentMember("cookie")
    .split("; ")
    .find((cookie) => cookie.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/** An element named `cookie` hides the member of the document. */
const setCookie = (text: string): unknown => Reflect.set(Document.prototype, "cookie", text, document);

/** The attributes that a cookie of this page may have, the widest domain first. A browser refuses domains such as co.uk. */
function* cookieAttributes(): Generator<string> {
  const { hostname, protocol } = location;
  const common = `; path=/; samesite=lax${protocol === "https:" ? "; secure" : ""}`;
  const labels = /^[\d.]+$|:/.test(hostname) ? [] : hostname.split(".");
  for (let count = 2; count <= labels.length; count += 1)
    yield `${common}; domain=${labels.slice(-count).join(".")}`;
  yield common;
}

function writeCookie(name: string, value: string): void {
  for (const attributes of cookieAttributes()) {
    setCookie(`${name}=${value}; max-age=${maxAgeS}${attributes}`);
    if (readCookie(name) === value) return;
  }
}

function removeCookie(name: string): void {
  for (const attributes of cookieAttributes()) setCookie(`${name}=; max-age=0${attributes}`);
}

/** `<visitor>.<time>.<session>`: the time is that of the session's last activity. */
function parseCookie(cookie: string | undefined): SharedVisit | undefined {
  const [, anonymousId, time, sessionId] = /^(\w{32})\.(\d+)\.([\w-]*)$/.exec(cookie ?? "") ?? [];
  return anonymousId === undefined
    ? undefined
    : { anonymousId, session: sessionId ? `${time} ${sessionId}` : null };
}

type Values = [visitor: string | null, session: string | null];

/** The visitor and the session of a source. Nothing is written before the client writes, which it does only with consent. */
class SharedSource {
  readonly prefix: string;
  readonly names: readonly string[];
  readonly publicKey: string;
  readonly hosts: readonly string[];
  readonly #cookie: string | null;
  /** From the link that led to this page, until it is written. */
  #received: SharedVisit | undefined;
  #mayWrite = false;

  constructor({ publicKey, crossSubdomain, linkDomains = "" }: SitesOptions) {
    this.publicKey = publicKey;
    this.prefix = `headwater.${publicKey}.`;
    this.names = [`${this.prefix}visitor`, `${this.prefix}session`];
    this.hosts = linkDomains.split(/[\s,]+/).filter(Boolean);
    this.#cookie = `${crossSubdomain}` === "true" ? `headwater_${publicKey.replace(/\W/g, "_")}` : null;
    this.#received = receiveVisit(publicKey);
  }

  /** The user of a visitor stays on its host. */
  #values(): Values {
    const [visitor, session] = this.names.map((name) => localStorage.getItem(name)) as Values;
    const shared =
      this.#received ?? (this.#cookie === null ? undefined : parseCookie(readCookie(this.#cookie)));
    if (!shared) return [visitor, session];
    const isSame = visitor?.startsWith(shared.anonymousId);
    return [isSame ? visitor : shared.anonymousId, shared.session];
  }

  #write(values: Values): void {
    this.#received = undefined;
    const [visitor, session] = values;
    const [time = "0", sessionId = ""] = session?.split(" ") ?? [];
    if (this.#cookie !== null && visitor)
      writeCookie(this.#cookie, `${visitor.slice(0, idLength)}.${time}.${sessionId}`);
    if (this.#cookie !== null && !visitor) removeCookie(this.#cookie);
    values.forEach((value, index) => {
      if (value === null) localStorage.removeItem(this.names[index]!);
      else localStorage.setItem(this.names[index]!, value);
    });
  }

  read(name: string): string | null {
    return this.#values()[this.names.indexOf(name)] ?? null;
  }

  change(name: string, value: string | null): void {
    const values = this.#values();
    values[this.names.indexOf(name)] = value;
    this.#write(values);
    if (values[0] === null) this.#mayWrite = false;
  }

  /** The client writes data of this source, so the visit may be stored and passed on. */
  allow(): void {
    if (this.#mayWrite) return;
    this.#mayWrite = true;
    this.#write(this.#values());
  }

  /** The visit for a link, or nothing without consent. */
  render(): readonly string[] {
    const [visitor, session] = this.#values();
    if (!this.#mayWrite || !visitor) return [];
    return [renderVisit(this.publicKey, { anonymousId: visitor.slice(0, idLength), session })];
  }
}

const sources: SharedSource[] = [];

const sourceOf = (name: string) => sources.find(({ names }) => names.includes(name));

/** A localStorage whose visitors and sessions are shared. */
const openSharedStorage = (): Storage =>
  openStorage({
    getItem(name) {
      const source = sourceOf(name);
      return source ? source.read(name) : localStorage.getItem(name);
    },
    setItem(name, value) {
      sources.find(({ prefix }) => name.startsWith(prefix))?.allow();
      const source = sourceOf(name);
      if (source) source.change(name, value);
      else localStorage.setItem(name, value);
    },
    removeItem(name) {
      const source = sourceOf(name);
      if (source) source.change(name, null);
      else localStorage.removeItem(name);
    },
    names() {
      const shared = sources.flatMap((source) => source.names.filter((name) => source.read(name)));
      return [...new Set([...Object.keys(localStorage), ...shared])];
    },
  });

/**
 * Shares the visitors and sessions of a source over hosts. Must be called before its client starts, with the persistence "site".
 * @returns false if this browser blocks storage
 */
export function shareOverSites(options: SitesOptions): boolean {
  try {
    if (sources.some(({ publicKey }) => publicKey === options.publicKey)) return true;
    sources.push(new SharedSource(options));
    if (sources.length > 1) return true;
    window.siteStorage = openSharedStorage();
    passOn((host) => sources.flatMap((source) => (source.hosts.includes(host) ? source.render() : [])));
    return true;
  } catch {
    return false;
  }
}

/** Does so for each script tag that asks for it. */
export function shareTags(tags: Iterable<HTMLElement>): void {
  for (const { dataset } of tags) {
    const { key, persistence = "local", crossSubdomain, linkDomains } = dataset;
    if (!key || persistence !== "local" || !(crossSubdomain || linkDomains)) continue;
    if (shareOverSites({ ...dataset, publicKey: key } as SitesOptions)) dataset.persistence = "site";
  }
}
