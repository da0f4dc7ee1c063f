/** The client of the API, with the token of this tab. */
import { createApi } from "../../../packages/api/src/index.ts";
import { session } from "./session.ts";

export { type ApiAnswer, ApiFailure, type ApiInput } from "../../../packages/api/src/index.ts";

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

export const api = createApi({
  baseUrl: API_BASE,
  token: session.token,
  ...RETRY,
  fetch: async (url, request) => {
    const token = session.token();
    const response = await fetch(url, request);
    if (response.status === 401 && token !== null && token === session.token()) signedOutListener();
    return response;
  },
});
