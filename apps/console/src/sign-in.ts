/** Signing in, by an access token or by the one-time code of a link. */
import { type ApiAnswer, ApiFailure, apiWith, cookieApi } from "./api.ts";
import { organizationsQuery, queryClient } from "./queries.ts";
import { session } from "./session.ts";

/** Reads the fragment and removes it from the URL, so that the code does not stay in the browser's history. */
export function takeFragment(): URLSearchParams {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (location.hash !== "") history.replaceState(history.state, "", location.pathname + location.search);
  return fragment;
}

/** The credential in the fragment of a sign-in link. */
export type Credential = { readonly code: string } | { readonly token: string };

const NO_PROFILE = { name: null, email: null };
const NO_TOKENS = new ApiFailure(403, {
  code: "permission_denied",
  message: "You can sign in to this service only with its identity provider.",
});

/** Whose account it opens. */
export async function readCredential(
  credential: Credential,
  signal: AbortSignal,
): Promise<ApiAnswer<"readSignInCode">> {
  if ("code" in credential) return apiWith(null).readSignInCode({ body: credential, signal });
  const { token: takesToken } = await apiWith(null).getSignInMethods({ signal });
  if (!takesToken) throw NO_TOKENS;
  const client = apiWith(credential.token);
  const { organizations } = await client.listOrganizations({ signal });
  // a token that does not act as a person has no profile
  const { name, email } = await client.getProfile({ signal }).catch(() => NO_PROFILE);
  return { userId: "", name, email, organizations, invitation: null, expiresAt: "" };
}

export const signInBy = (credential: Credential): Promise<unknown> =>
  "code" in credential ? signInByCode(credential.code) : signInWith(credential.token);

/** Signs in all tabs until the sign-in ends, if the browser keeps the cookie. @returns whether it does */
async function remember(token: string): Promise<boolean> {
  try {
    const { rememberedId } = await cookieApi(token).rememberSignIn();
    const refreshed = await cookieApi(null).refreshToken({ body: { rememberedId } });
    session.remember(rememberedId, token);
    session.keepRefreshed(rememberedId, refreshed.token, refreshed.expiresInSeconds);
    return session.rememberedId() === rememberedId;
  } catch {
    return false;
  }
}

/** Stores the token after the API has accepted it: in this tab only, if the browser cannot remember it. */
export async function signInWith(token: string): Promise<void> {
  const organizations = await apiWith(token).listOrganizations();
  if (!(await remember(token))) session.signIn(token);
  queryClient.clear();
  queryClient.setQueryData(organizationsQuery.queryKey, organizations);
}

/** @returns the token of the new session */
export async function signInByCode(code: string): Promise<string> {
  const { token } = await apiWith(null).signIn({ body: { code } });
  await signInWith(token);
  return token;
}
