/**
 * Masks tokens in a path, such as the last part of `/reset-password/4f9Kx0…`. Ids of orders or
 * articles look alike, so a part is masked only after a part whose name says that a token follows.
 */
import { MASKED } from "./hidden.ts";

const SLASH = String.raw`(?:\\?/|%(?:25)*2f)`;
const NAME =
  "(?:token|passw|passcode|secret|jwt|api[-_]?key|magic|reset|recover|invit|verif|confirm|activat|unsubscribe)";
/** A part with such a name, and the slash after it. Most texts have none. */
const NAMED_PART = new RegExp(`${NAME}[\\w.-]{0,40}${SLASH}`, "i");
const NAMED = new RegExp(`(?:^|[-_.])${NAME}`, "i");
const PART = new RegExp(`(${SLASH})((?:[^/\\\\?#&;=%\\s"'<>]|%(?!(?:25)*2f))*)`, "gi");
/** Names of pages are words: a token has letters and digits in one run, or is longer than a word. */
const RUN = /[a-z0-9]{6,}/gi;
const MAX_WORD_LENGTH = 19;

const isToken = (part: string): boolean =>
  part.match(RUN)?.some((run) => run.length > MAX_WORD_LENGTH || (/\d/.test(run) && /[a-z]/i.test(run))) ??
  false;

/** The characters at the end of a part that are searched for a name. Longer parts are titles of pages. */
const MAX_NAME_LENGTH = 40;
const ENCODED_SLASH = /%(?:25)*2f/i;
/** Whether a part can have the character. The others end it: `/ : = ? \` and all up to the comma, with spaces and quotes. */
const isInPart = (code: number): boolean =>
  code > 44 && code !== 47 && code !== 58 && code !== 61 && code !== 63 && code !== 92;

/** Whether a part of a path has the name of a token. Looking at the text before each slash is faster than a search. */
function namesToken(text: string): boolean {
  for (let at = text.indexOf("/"); at !== -1; at = text.indexOf("/", at + 1)) {
    const end = text[at - 1] === "\\" ? at - 1 : at;
    let start = end;
    while (start > 0 && end - start < MAX_NAME_LENGTH && isInPart(text.charCodeAt(start - 1))) start--;
    if (end - start > 2 && NAMED.test(text.slice(start, end))) return true;
  }
  return text.includes("%") && ENCODED_SLASH.test(text) && NAMED_PART.test(text);
}

/** Masks tokens in an address or in JSON. A masked part has no quotes and no escapes, so JSON stays valid. */
export function maskPathTokens(text: string): string {
  if (!namesToken(text)) return text;
  // whether an earlier part of this path names a token
  let isAfterName = false;
  let pathEnd = 0;
  return text.replace(PART, (written, slash: string, part: string, at: number) => {
    isAfterName &&= at === pathEnd;
    pathEnd = at + written.length;
    if (isAfterName && isToken(part)) return slash + MASKED;
    isAfterName ||= NAMED.test(part);
    return written;
  });
}
