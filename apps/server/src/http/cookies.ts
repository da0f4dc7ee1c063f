/** The cookies that the service sets. None of them authenticates a request of the workspace API. */

/** The only path that gets the cookie of a remembered sign-in. */
export const REMEMBER_PATH = "/api/sign-in/remember";

interface NewCookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly maxAgeSeconds: number;
  readonly sameSite: "Lax" | "Strict";
  readonly isSecure: boolean;
}

/** The value of a `Set-Cookie` header. Scripts cannot read the cookie. */
export function toSetCookie({ name, value, path, maxAgeSeconds, sameSite, isSecure }: NewCookie): string {
  const secure = isSecure ? "; Secure" : "";
  return `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/** The values of all cookies of the name: another host of the site can add one. */
export const readCookies = (header: string | undefined, name: string): readonly string[] =>
  (header?.split(/; */) ?? [])
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
