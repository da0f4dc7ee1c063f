/** What works on a person needs that person: a token stays what it was made for, whoever made it. */
import { Refusal } from "./refusal.ts";

/** @throws Refusal 403 unless the caller signed in */
export function requirePerson({ isPerson }: { readonly isPerson: boolean }): void {
  if (isPerson) return;
  throw new Refusal("permission_denied", {
    message: "An access token never acts as a person, so it cannot do this.",
    hint: "Sign in to the console, or send a JWT of your identity provider.",
  });
}
