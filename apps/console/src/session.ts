/** The access token and the selected workspace of this tab, kept in `sessionStorage` only. */
const TOKEN = "headwater.token";
const WORKSPACE = "headwater.workspace";

/** Used when `sessionStorage` is not available. */
const fallbackStorage = new Map<string, string>();

function read(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return fallbackStorage.get(key) ?? null;
  }
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, value);
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

export const session = {
  isShared,
  linkToken,
  /** @param unlocked the token of the link with what the right password has added */
  unlock: (token: string, unlocked: string) => write(unlockKey(token), unlocked.slice(token.length)),
  token: () => (isShared() ? tokenOfLink() : read(TOKEN)),
  signIn: (token: string) => write(TOKEN, token),
  signOut: () => {
    write(TOKEN, null);
    write(WORKSPACE, null);
  },
  /** The id of the workspace that was selected last. */
  workspace: () => read(WORKSPACE),
  selectWorkspace: (organizationId: string) => write(WORKSPACE, organizationId),
};
