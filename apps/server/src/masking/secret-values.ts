/** Masks values that are secret whatever their name: tokens, keys, credentials of a header, numbers of payment cards. */
import { toStorable } from "../core/text.ts";
import { maskCards, mayHoldCard } from "./cards.ts";
import { MASKED } from "./hidden.ts";
import { decodePercent } from "./percent.ts";
import { isWord, maskProse } from "./prose.ts";
import { mayNameSecret } from "./secret-names.ts";
import { maskVendorKeys, mayHoldVendorKey } from "./vendor-keys.ts";

/** A JSON Web Token. The length of its header is limited, so that the search is linear. */
const JWT = /eyJ[\w-]{5,500}(?:\.[\w-]*){2,4}/g;
/** `Authorization: Bearer abc`, anywhere in a text. */
const HEADER =
  /(authorization["'\\\s]{0,4}[:=：＝]["'\\\s]{0,4}((?:basic|bearer|digest|token|negotiate|apikey|hawk|hmac[\w-]*|aws4[\w-]*)(?:\s|\+|%20)+)?)([^\s"',;&\\]+)(?:(?=[ ,]+(\p{L}))|)/giu;
/** In "Authorization: Basic rules of it" the value is a word of a sentence. */
function maskHeader(text: string): string {
  return text.replace(HEADER, (written: string, ...[head, scheme, value, more]: (string | undefined)[]) => {
    const isSentence = isWord(value ?? "") && (scheme === undefined || more !== undefined);
    return isSentence ? written : `${head}${MASKED}`;
  });
}

/** A bearer token without the name of the header. A token has a digit or is long, unlike a word after "bearer". */
const BEARER = /\b(bearer(?:\s|\+|%20)+)(?:(?=[\w.~/-]{0,100}\d)[\w.~+/=-]{8,}|[\w.~+/=-]{20,})/gi;
const MAY_BE_HEADER = /bearer(?:\s|\+|%20)|authorization\W{0,4}[:=：＝]/i;

const mayHoldPlain = (text: string): boolean =>
  text.includes("eyJ") || MAY_BE_HEADER.test(text) || mayHoldVendorKey(text) || mayHoldCard(text);

/** If false, the text contains no value that `maskSecretValues` masks, in any encoding. */
export const mayHoldSecretValue = (text: string): boolean =>
  mayHoldPlain(text) ||
  encodedRuns(text).some(({ start, end }) => mayHoldDecoded(decodePercent(text.slice(start, end))));

const mayHoldDecoded = (plain: string): boolean =>
  mayHoldPlain(plain) || (plain.includes(":") && mayNameSecret(plain));

function maskPlain(text: string): string {
  if (!mayHoldPlain(text)) return text;
  const masked = maskHeader(text).replace(BEARER, `$1${MASKED}`).replace(JWT, MASKED);
  return maskCards(maskVendorKeys(masked));
}

/** The end of a run with percent-encoded characters, such as the value of a parameter. */
const RUN_END = /[\s&#?=;"'<>/]/;
const AFTER_RUN = /[\s&#?=;"'<>/]/g;

/** Where the runs of a text with percent-encoded characters are. */
function encodedRuns(text: string): { start: number; end: number }[] {
  const runs: { start: number; end: number }[] = [];
  let end = 0;
  for (let at = text.indexOf("%"); at !== -1; at = text.indexOf("%", end)) {
    let start = at;
    while (start > end && !RUN_END.test(text.charAt(start - 1))) start--;
    AFTER_RUN.lastIndex = at;
    end = AFTER_RUN.exec(text)?.index ?? text.length;
    runs.push({ start, end });
  }
  return runs;
}

/** Characters that an address has in encoded form only, or that separate its parts. */
const SEPARATORS = /[\s&#?=;"'<>/+:@,{}\\^`|]|[^\0-\x7f]/gu;

/** Masks a secret within encoded text. The rest of the run is encoded once, however often it was before. */
function maskEncoded(run: string): string {
  const plain = decodePercent(run);
  const masked = maskProse(maskPlain(plain));
  return masked === plain ? run : toStorable(masked).replace(SEPARATORS, encodeURIComponent);
}

export function maskSecretValues(text: string): string {
  if (!mayHoldSecretValue(text)) return text;
  const plain = maskPlain(text);
  let masked = "";
  let kept = 0;
  for (const { start, end } of encodedRuns(plain)) {
    masked += plain.slice(kept, start) + maskEncoded(plain.slice(start, end));
    kept = end;
  }
  return kept === 0 ? plain : masked + plain.slice(kept);
}
