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

/** The page that a share link opens. It uses the token of the link and never the token of the tab. */
const isShared = () => location.pathname.endsWith("/shared");
/** The token stays in the URL's fragment, which browsers send to no server, so that the URL can be shared again. */
const tokenOfLink = () => new URLSearchParams(location.hash.slice(1)).get("token");

export const session = {
  isShared,
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
