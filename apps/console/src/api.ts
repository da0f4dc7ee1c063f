/** The client of the API, with the token of this tab, which it renews. */
import { ApiFailure, createApi } from "../../../packages/api/src/index.ts";
import { session } from "./session.ts";

export type { ApiAnswer, ApiInput } from "../../../packages/api/src/index.ts";
export { ApiFailure };

const configured = document.querySelector<HTMLMetaElement>('meta[name="headwater-api"]')?.content ?? "";
/** The base URL of the API: from the `headwater-api` meta tag, or the console's own. */
export const API_BASE = configured === "" ? document.baseURI : configured;

let signedOutListener: () => void = () => undefined;
/** Sets the listener that runs when the API no longer accepts this tab's token. */
export const onSignedOut = (listener: () => void): void => {
  signedOutListener = listener;
};

/** A person waits, so a request is repeated once, and soon. */
const RETRY = { maxTries: 2, maxWaitMs: 2_000 };

/** The client for the sign-in, which has another token than the tab. */
export const apiWith = (token: string | null) => createApi({ baseUrl: API_BASE, token, ...RETRY });

/** The client of the routes that set or use the cookie of a remembered sign-in. */
export const cookieApi = (token: string | null) =>
  createApi({
    baseUrl: API_BASE,
    token,
    ...RETRY,
    fetch: (url, request) => fetch(url, { ...request, credentials: "include" }),
  });

let renewing: Promise<string> | null = null;

/** Renews the token of the remembered sign-in once for all that wait for it. */
async function renewToken(rememberedId: string): Promise<string> {
  // the answer has the next cookie, so it must arrive even if the tab is closed
  const renewed = await cookieApi(null).refreshToken({ body: { rememberedId }, keepalive: true });
  session.keepRefreshed(rememberedId, renewed.token, renewed.expiresInSeconds);
  return renewed.token;
}

/** The token to send, renewed if it is about to end. @returns null: nobody is signed in */
export async function currentToken(): Promise<string | null> {
  const token = session.token();
  const rememberedId = session.rememberedId();
  if (token !== null || rememberedId === null) return token;
  renewing ??= renewToken(rememberedId).finally(() => {
    renewing = null;
  });
  return renewing;
}

/** A sign-in that the service does not renew has ended. One that another tab has replaced meanwhile has not. */
async function tokenOrSignOut(): Promise<string | null> {
  const rememberedId = session.rememberedId();
  try {
    return await currentToken();
  } catch (error) {
    const isOver = error instanceof ApiFailure && (error.status === 401 || error.status === 403);
    if (isOver && rememberedId === session.rememberedId()) signedOutListener();
    throw error;
  }
}

function sendWith(token: string | null, url: URL, request: RequestInit): Promise<Response> {
  const headers = new Headers(request.headers);
  if (token !== null) headers.set("Authorization", `Bearer ${token.trim()}`);
  return fetch(url, { ...request, headers });
}

export const api = createApi({
  baseUrl: API_BASE,
  ...RETRY,
  fetch: async (url, request) => {
    const token = await tokenOrSignOut();
    const response = await sendWith(token, url, request);
    if (response.status !== 401 || token === null) return response;
    if (session.rememberedId() !== null) {
      session.dropRefreshed(token);
      return sendWith(await tokenOrSignOut(), url, request);
    }
    if (token === session.token()) signedOutListener();
    return response;
  },
});
