/** A real OpenID Connect provider on this machine. It signs in the user that the test names, without a form. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

const CLIENT_ID = "headwater";
const CLIENT_SECRET = "a-secret-of-the-client-0123456789";

interface ProviderUser {
  sub: string;
  email: string;
  email_verified: boolean;
  name: string;
}

export interface TestProvider extends AsyncDisposable {
  issuer: string;
  /** The settings that sign people in with this provider. */
  settings: Record<string, string>;
  /** The person who signs in next. */
  user: ProviderUser;
  /** How often the provider has exchanged a code for tokens. */
  granted(): number;
}

/** @param redirectUris the callbacks of the service, known before it starts */
export async function startOidcProvider(redirectUris: string[]): Promise<TestProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state = { user: { sub: "", email: "", email_verified: false, name: "" }, granted: 0 };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: redirectUris,
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...state.user, sub }) }),
    cookies: { keys: ["a key for the cookies of the provider"] },
  });
  provider.on("grant.success", () => {
    state.granted += 1;
  });
  const answer = provider.callback();
  server.on("request", async (request, response) => {
    if (!request.url?.startsWith("/interaction/")) return answer(request, response);
    const { prompt, params } = await provider.interactionDetails(request, response);
    if (prompt.name === "login")
      return provider.interactionFinished(request, response, { login: { accountId: state.user.sub } });
    const grant = new provider.Grant({ accountId: state.user.sub, clientId: String(params.client_id) });
    grant.addOIDCScope("openid email profile");
    const consent = { grantId: await grant.save() };
    return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
  });
  return {
    issuer,
    settings: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OIDC_NAME: "Example SSO",
    },
    get user() {
      return state.user;
    },
    set user(user) {
      state.user = user;
    },
    granted: () => state.granted,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
