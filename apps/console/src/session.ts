/** The token that this tab is signed in with. It lives as long as the tab's session, and nowhere else. */
const TOKEN = "headwater.token";
const WORKSPACE = "headwater.workspace";

/** Where storage is switched off, the page itself remembers. */
const remembered = new Map<string, string>();

function read(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return remembered.get(key) ?? null;
  }
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, value);
  } catch {
    if (value === null) remembered.delete(key);
    else remembered.set(key, value);
  }
}

/**
 * Where a link to one source's numbers leads: its token stands in the fragment, which is sent nowhere, and stays
 * there, so that the view can be passed on. It is the only one that such a page speaks with.
 */
const isShared = () => location.pathname.endsWith("/shared");
const givenToken = () => new URLSearchParams(location.hash.slice(1)).get("token");

export const session = {
  isShared,
  token: () => (isShared() ? givenToken() : read(TOKEN)),
  signIn: (token: string) => write(TOKEN, token),
  signOut: () => {
    write(TOKEN, null);
    write(WORKSPACE, null);
  },
  /** The workspace that was chosen last. */
  workspace: () => read(WORKSPACE),
  choose: (organizationId: string) => write(WORKSPACE, organizationId),
};
