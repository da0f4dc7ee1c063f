import { onLink } from "./links.ts";

/** A visitor's id, and the session in the form of the client's storage: `<time> <id>`. */
export interface SharedVisit {
  readonly anonymousId: string;
  readonly session: string | null;
}

const parameter = "_hw";
const maxAgeMs = 120_000;
const base = 36;

/** A checksum that another browser, to which a link was copied, does not get. FNV-1a of 32 bits. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of `${text} ${navigator.userAgent} ${navigator.language}`)
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return (hash >>> 0).toString(base);
}

let received: readonly string[] | undefined;

/** Removes the parameters from the address, whatever they contain. */
function readParameters(): readonly string[] {
  const { pathname, search, hash } = location;
  const found = new URLSearchParams(search).getAll(parameter);
  const rest = search
    .slice(1)
    .split("&")
    .filter((text) => !text.startsWith(`${parameter}=`))
    .join("&");
  const address = pathname + (rest && `?${rest}`) + hash;
  if (found.length > 0) History.prototype.replaceState.call(history, history.state, "", address);
  return found;
}

/** @returns the visit that a link has brought within two minutes, in this browser and for this source */
export function receiveVisit(publicKey: string): SharedVisit | undefined {
  received ??= readParameters();
  for (const text of received) {
    const [, visit = "", anonymousId = "", sessionId = "", time = "", check] =
      /^((\w{32})\.([\w-]{0,100})\.(\w{1,12}))\.(\w+)$/.exec(text) ?? [];
    const sentAt = Number.parseInt(time, base);
    const isOurs = check === checksum(`${publicKey} ${visit}`);
    if (isOurs && Math.abs(Date.now() - sentAt) <= maxAgeMs)
      return { anonymousId, session: sessionId === "" ? null : `${sentAt} ${sessionId}` };
  }
  return undefined;
}

export function renderVisit(publicKey: string, { anonymousId, session }: SharedVisit): string {
  const [, sessionId = ""] = session?.split(" ") ?? [];
  const visit = `${anonymousId}.${sessionId}.${Date.now().toString(base)}`;
  return `${visit}.${checksum(`${publicKey} ${visit}`)}`;
}

/**
 * Adds visits to each link while it is followed. Afterwards the link is as before.
 * @param renderFor the visits for a host
 */
export function passOn(renderFor: (host: string) => readonly string[]): void {
  onLink((link) => {
    const visits = link.hostname === location.hostname ? [] : renderFor(link.hostname);
    if (visits.length === 0) return;
    const { href, search } = link;
    const parameters = visits.map((visit) => `${parameter}=${visit}`).join("&");
    link.search = search === "" ? parameters : `${search}&${parameters}`;
    setTimeout(() => {
      link.href = href;
    });
  });
}
