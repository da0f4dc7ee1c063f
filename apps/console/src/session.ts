/**
 * How this tab is signed in. A remembered sign-in (docs/api/accounts.md) is that of all tabs: `localStorage` has its id, and
 * each tab the short-lived token that it renewed. Without it a tab has a token of its own. Tokens are in `sessionStorage` only.
 */
const TOKEN = "headwater.token";
const REFRESHED = "headwater.refreshed";
const REMEMBERED = "headwater.remembered";
const WORKSPACE = "headwater.workspace";
const RECENT = "headwater.recent";
const PAGES = "headwater.pages";
/** The shown page, and the five before it. */
const MAX_PAGES = 6;
const MAX_RECENT_SHOWN = 3;
/** The limit of all workspaces together. */
const MAX_RECENT = 12;

/** A source that was opened in this browser. */
export interface RecentSource {
  readonly sourceId: string;
  readonly organizationId: string;
  readonly name: string;
}

/** A token is renewed this long before it ends. */
const RENEW_EARLY_MS = 60_000;

/** Used when the storage is not available. */
const fallbackStorage = new Map<string, string>();

function read(key: string, storage: "sessionStorage" | "localStorage" = "sessionStorage"): string | null {
  try {
    return window[storage].getItem(key);
  } catch {
    return fallbackStorage.get(key) ?? null;
  }
}

function write(
  key: string,
  value: string | null,
  storage: "sessionStorage" | "localStorage" = "sessionStorage",
) {
  try {
    if (value === null) window[storage].removeItem(key);
    else window[storage].setItem(key, value);
  } catch {
    if (value === null) fallbackStorage.delete(key);
    else fallbackStorage.set(key, value);
  }
}

/** The pages that a share link opens. They use the token of the link and never the token of the tab. */
const isShared = () => /\/(?:shared|embed)\/?$/.test(location.pathname);
/** The token stays in the URL's fragment, which browsers send to no server, so that the URL can be shared again. */
const linkToken = () => new URLSearchParams(location.hash.slice(1)).get("token");
/** The storage key of what the right password adds to the token of a link. It has the end of the token only. */
const unlockKey = (token: string) => `headwater.unlocked.${token.slice(-6)}`;

function tokenOfLink(): string | null {
  const token = linkToken();
  return token === null ? null : token + (read(unlockKey(token)) ?? "");
}

/** The id of the remembered sign-in, and the end of the token that it began with. */
const remembered = () => read(REMEMBERED, "localStorage")?.split(" ") ?? [];
const rememberedId = () => remembered()[0] ?? null;

/** The short-lived token, unless it is about to end or belongs to another sign-in. */
function refreshedToken(): string | null {
  const [id, endsAt, token = null] = read(REFRESHED)?.split(" ") ?? [];
  return id === rememberedId() && Number(endsAt) > Date.now() + RENEW_EARLY_MS ? token : null;
}

/** The keys of the pages that were opened last in this tab, that of the shown page first. */
const recentPages = (): string[] => read(PAGES)?.split("\n") ?? [];

function recentSources(): RecentSource[] {
  try {
    return JSON.parse(read(RECENT, "localStorage") ?? "[]");
  } catch {
    return [];
  }
}

export const session = {
  isShared,
  linkToken,
  /** @param unlocked the token of the link with what the right password has added */
  unlock: (token: string, unlocked: string) => write(unlockKey(token), unlocked.slice(token.length)),
  /** The token to send; null: there is none, or it has to be renewed. */
  token: () => (isShared() ? tokenOfLink() : (read(TOKEN) ?? refreshedToken())),
  isSignedIn: () => (read(TOKEN) ?? rememberedId()) !== null,
  /** Whether the tab has a token of its own. */
  isOfTab: () => read(TOKEN) !== null,
  rememberedId: () => (isShared() || read(TOKEN) !== null ? null : rememberedId()),
  /** Whether the sign-in began with the token that has this end. */
  beganWith: (hint: string) => (read(TOKEN)?.slice(-hint.length) ?? remembered()[1]) === hint,
  /** Signs in this tab only. */
  signIn: (token: string) => write(TOKEN, token),
  /** Signs in all tabs. */
  remember(id: string, token: string): void {
    write(TOKEN, null);
    write(REMEMBERED, `${id} ${token.slice(-4)}`, "localStorage");
  },
  keepRefreshed: (id: string, token: string, expiresInSeconds: number) =>
    write(REFRESHED, `${id} ${Date.now() + expiresInSeconds * 1_000} ${token}`),
  /** Forgets a token that the service refuses, unless it was renewed meanwhile. */
  dropRefreshed(token: string): void {
    if (read(REFRESHED)?.endsWith(` ${token}`)) write(REFRESHED, null);
  },
  /** Signs out the tab. If it has no token of its own, that signs out all tabs. */
  signOut(): void {
    if (read(TOKEN) === null) write(REMEMBERED, null, "localStorage");
    write(TOKEN, null);
    write(REFRESHED, null);
    write(WORKSPACE, null);
    write(RECENT, null, "localStorage");
    write(PAGES, null);
    if (rememberedId() === null) write(WORKSPACE, null, "localStorage");
  },
  /** Calls `listener` when another tab signs in or out. @returns a function that ends it */
  onChangeElsewhere(listener: () => void): () => void {
    const changed = ({ key }: StorageEvent) => {
      if ((key === REMEMBERED || key === null) && !isShared() && read(TOKEN) === null) listener();
    };
    addEventListener("storage", changed);
    return () => removeEventListener("storage", changed);
  },
  /** The id of the workspace that was selected last, in this tab or for a new one. */
  workspace: () => read(WORKSPACE) ?? read(WORKSPACE, "localStorage"),
  selectWorkspace(organizationId: string): void {
    write(WORKSPACE, organizationId);
    write(WORKSPACE, organizationId, "localStorage");
  },
  recentPages,
  openedPage: (key: string) =>
    write(PAGES, [key, ...recentPages().filter((other) => other !== key)].slice(0, MAX_PAGES).join("\n")),
  /** The sources of the workspace that were opened last in this browser, besides the shown one, the latest first. */
  recentSources: (organizationId: string, shownId = "") =>
    recentSources()
      .filter((source) => source.organizationId === organizationId && source.sourceId !== shownId)
      .slice(0, MAX_RECENT_SHOWN),
  openedSource({ sourceId, organizationId, name }: RecentSource): void {
    const others = recentSources().filter((source) => source.sourceId !== sourceId);
    const all = [{ sourceId, organizationId, name }, ...others].slice(0, MAX_RECENT);
    write(RECENT, JSON.stringify(all), "localStorage");
  },
};
