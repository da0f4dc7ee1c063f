/** The formats of texts that tracking plans can ask for. Each check takes time linear in the text. */
import { isIPv4, isIPv6 } from "node:net";
import { startsWithValidDay } from "../core/time.ts";

const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_TIME =
  /^\d{4}-\d\d-\d\dt([01]\d|2[0-3]):([0-5]\d):(?:[0-5]\d|(60))(?:\.\d+)?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;
const MINUTES_PER_DAY = 1_440;

/** RFC 3339. A leap second is the last of a day in UTC. */
function isDateTime(text: string): boolean {
  const parts = DATE_TIME.exec(text);
  if (!parts || !startsWithValidDay(text)) return false;
  const [, hour, minute, leapSecond, sign, offsetHour = "0", offsetMinute = "0"] = parts;
  if (leapSecond === undefined) return true;
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === "-" ? -1 : 1);
  const utc = Number(hour) * 60 + Number(minute) - offset;
  return (utc + MINUTES_PER_DAY) % MINUTES_PER_DAY === MINUTES_PER_DAY - 1;
}

const MAX_MAILBOX_LENGTH = 320;
const MAX_LOCAL_LENGTH = 64;
const MAX_DOMAIN_LENGTH = 255;
const MAILBOX =
  /^([\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*|"(?:[ !#-[\]-~]|\\[ -~])*")@([a-z\d[][a-z\d.:\]-]*)$/i;
const DOMAIN = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i;
const ADDRESS_LITERAL = /^\[(?:IPv6:(.*)|(.*))\]$/i;

/** A mailbox of RFC 5321. */
function isEmail(text: string): boolean {
  if (text.length > MAX_MAILBOX_LENGTH) return false;
  const [, local = "", domain = ""] = MAILBOX.exec(text) ?? [];
  if (local === "" || local.length > MAX_LOCAL_LENGTH || domain.length > MAX_DOMAIN_LENGTH) return false;
  const [literal, six, four] = ADDRESS_LITERAL.exec(domain) ?? [];
  return literal === undefined ? DOMAIN.test(domain) : six === undefined ? isIPv4(four ?? "") : isIPv6(six);
}

/** The parts of RFC 3986: only a path without an authority may begin with one slash. */
const URI = /^[a-z][a-z\d+.-]*:(?:\/\/([^/?#]*))?([^?#]*(?:\?[^#]*)?(?:#[^#]*)?)$/i;
const AUTHORITY =
  /^(?:(?:[\w.~!$&'()*+,;=:-]|%[\da-f]{2})*@)?(?:\[([^\]]*)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;
const AFTER_AUTHORITY = /^(?:[\w.~!$&'()*+,;=:@/?#-]|%[\da-f]{2})*$/i;
const FUTURE_ADDRESS = /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i;

/** An absolute URI of RFC 3986. */
function isUri(text: string): boolean {
  const [whole, authority = "", rest = ""] = URI.exec(text) ?? [];
  if (whole === undefined || !AFTER_AUTHORITY.test(rest)) return false;
  const [host, address] = AUTHORITY.exec(authority) ?? [];
  if (host === undefined || address === undefined) return host !== undefined;
  return (isIPv6(address) && !address.includes("%")) || FUTURE_ADDRESS.test(address);
}

export const FORMATS: Readonly<Record<string, RegExp | ((text: string) => boolean)>> = {
  date: (text) => DATE.test(text) && startsWithValidDay(text),
  "date-time": isDateTime,
  email: isEmail,
  uri: isUri,
  uuid: /^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$/,
};
export const FORMAT_NAMES = Object.keys(FORMATS);
