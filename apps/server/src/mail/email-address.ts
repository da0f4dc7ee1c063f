/** The normalized form of an email address: addresses are validated, stored, looked up, counted and written to in it. */
import { domainToASCII } from "node:url";
import { issueAt, Refusal } from "../core/refusal.ts";

const MAX_LENGTH = 254;
/** Letters, digits and the signs of RFC 5322: nothing that a mail program would read as a comment, a quote or another address. */
const NAME = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN = /^[\p{L}\p{M}\p{N}-]+(?:[.\u3002\uff0e\uff61][\p{L}\p{M}\p{N}-]+)*$/u;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const isNumber = (label: string) => /^\d+$/.test(label);

/** Only ASCII: the lower case of other letters can be a letter of another mailbox. */
const toLowerAscii = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** @returns null when it is not an address, or its name has another spelling that looks the same */
export function toEmailAddress(text: string): string | null {
  const at = text.lastIndexOf("@");
  const [name, domain] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || INVISIBLE.test(text) || !NAME.test(name) || !DOMAIN.test(domain)) return null;
  if (name !== name.normalize("NFKC")) return null;
  const host = domainToASCII(domain);
  if (!HOST.test(host) || isNumber(host.slice(host.lastIndexOf(".") + 1))) return null;
  const address = `${toLowerAscii(name)}@${host}`;
  return address.length <= MAX_LENGTH ? address : null;
}

/** @throws Refusal 422 `invalid_payload` */
export function readEmailAddress(field: string, text: string): string {
  const address = toEmailAddress(text);
  if (address !== null) return address;
  const issue = issueAt(field, `${field} must be an email address, such as name@example.com`);
  throw new Refusal("invalid_payload", { issues: [issue] });
}

/** The addresses of one mailbox have one key: providers ignore what follows a `+`, and some ignore dots. */
export function toMailboxKey(address: string): string {
  const at = address.lastIndexOf("@");
  const [name = ""] = address.slice(0, at).split("+");
  return `${name.replaceAll(".", "").toLowerCase()}${address.slice(at)}`;
}
