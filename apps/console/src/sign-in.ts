/** Signing a tab in, by an access token or by the one-time code of a link. */
import { apiWith } from "./api.ts";
import { organizationsQuery, queryClient } from "./queries.ts";
import { session } from "./session.ts";

/** Reads the fragment and removes it from the URL, so that the code does not stay in the browser's history. */
export function takeFragment(): URLSearchParams {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (location.hash !== "") history.replaceState(history.state, "", location.pathname + location.search);
  return fragment;
}

/** Stores the token after the API has accepted it. */
export async function signInWith(token: string): Promise<void> {
  const organizations = await apiWith(token).listOrganizations();
  session.signIn(token);
  queryClient.clear();
  queryClient.setQueryData(organizationsQuery.queryKey, organizations);
}

/** @returns the token of the new session */
export async function signInByCode(code: string): Promise<string> {
  const { token } = await apiWith(null).signIn({ body: { code } });
  await signInWith(token);
  return token;
}
