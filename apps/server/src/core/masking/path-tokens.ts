/**
 * Masks tokens in a path, such as the last part of `/reset-password/4f9Kx0…`. Nothing names them but the part before, and ids of
 * orders or articles look alike, so only parts after a part with such a name are masked.
 */
import { MASKED } from "./secret-values.ts";

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

/** The text may be JSON: what is masked has no quotes and no escapes. */
export function maskPathTokens(text: string): string {
  if (!NAMED_PART.test(text)) return text;
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
