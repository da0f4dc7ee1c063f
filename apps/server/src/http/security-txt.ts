/** `/.well-known/security.txt` (RFC 9116): whom to tell about a security problem of this installation. */
import { Refusal } from "../core/refusal.ts";
import { DAY_MS } from "../core/time.ts";
import type { Handler } from "./handler.ts";

/** How long the contact is good for. RFC 9116 recommends less than a year. */
const VALID_DAYS = 90;

interface SecurityTxtDeps {
  /** Null: the operator has set none. */
  readonly contact: string | null;
  readonly baseUrl: () => string;
}

export const createSecurityTxt =
  ({ contact, baseUrl }: SecurityTxtDeps): Handler<"securityTxt"> =>
  async ({ now }) => {
    if (contact === null) throw new Refusal("route_not_found");
    // a whole day, so that the text changes once a day
    const expires = new Date(Math.ceil(now / DAY_MS) * DAY_MS + VALID_DAYS * DAY_MS).toISOString();
    const lines = [
      `Contact: ${contact}`,
      `Expires: ${expires}`,
      `Canonical: ${baseUrl()}/.well-known/security.txt`,
    ];
    return { text: `${lines.join("\n")}\n`, mediaType: "text/plain; charset=utf-8" };
  };
