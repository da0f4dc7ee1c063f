/** Masks secrets in a text for people, such as a title or a message: `password: x` and flags. Sentences and titles stay. */
import { MASKED } from "./hidden.ts";
import { lastWords, maskEachPair, type Pair, pairEnd } from "./mask-text.ts";
import { namesSecret } from "./pairs.ts";
import { isSecretName } from "./secret-names.ts";

/** Names after which even a word is a secret. */
const STRONG_NAME = /passw|passphrase|passcode|pwd|密[码碼]|パスワード|비밀번호/i;
/** "Your token", but not "Signature dish". */
const isNameInProse = (name: string): boolean =>
  isSecretName(name.split(" ").at(-1) ?? "") || namesSecret(name);
const AFTER_WORD = /[\s&#"'<>,;}]/g;
const AFTER_LINE = /[\r\n}<"]/g;

const words = (text: string) => new Set(text.split(/\s+/));
/** Words of sentences, in the languages in which the names of passwords are listed. */
const SENTENCE_WORDS =
  words(`a an the and or of to in on at by for from with without as is are was be been not no if it its this that
  these your you my our we how what when where why who which must should can cannot could will may do does did don't has have more
  less about after before
  der die das ein eine und oder von zu im auf für mit ohne ist sind nicht wie was wann wo warum ihr sie wir muss kann hier neues neue
  le la les un une des et ou du au aux pour avec sans est sont ne pas comment que quoi quand où pourquoi votre vous nous
  el los las y o de del al para con sin es son cómo como qué cuándo dónde su tu os um uma e do da no na por com sem é não seu sua
  il lo gli i ed di per non come che cosa il tuo suo het een en van op voor met zonder niet hoe uw je`);
/** Words of titles about a password: "Password: reset". */
const TOPICS =
  words(`reset resetting change changed changes changing forgot forgotten lost recover recovery recovered restore set
  update updated create created choose enter show hide copy save saved sent expired expires invalid incorrect wrong missing required
  optional empty hidden none null undefined unknown true false yes weak strong strength length minimum maximum characters policy
  policies rules requirements guide guides guidelines tips tutorial help faq support step steps best practices instructions basics
  overview introduction manager managers generator security settings options account login signin page form field failed success
  successful accepted rejected confirm confirmation confirmed verified updated new old current protected protection
  zurücksetzen ändern vergessen erforderlich falsch ungültig changer oublié réinitialiser requis cambiar olvidada restablecer
  redefinir alterar esqueceu wijzigen vergeten`);

const toWords = (value: string): string[] => value.trim().split(/\s+/);
const bare = (word: string): string => word.toLowerCase().replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");
const isTopic = (word: string): boolean => TOPICS.has(bare(word));

/** Letters of one case, like a word of a language: `policy`, `Policy`, but not `hQx` and not `xkcdqrst`. */
export const isWord = (text: string): boolean =>
  /^(?:\p{Lu}?[\p{Ll}\p{M}'’-]{0,19}|\p{Lu}{2,12})[.,!?…)]*$/u.test(text) &&
  !/[bcdfghjklmnpqrstvwxz]{5}/i.test(text);

/** `Hunter2`, `p@ss`. In "8 characters" the digit is a number. */
const hasSigns = (first: string, isAlone: boolean): boolean =>
  /\d|[^\p{L}\p{M}.,!?…'’()-]/u.test(first) && (isAlone || !/^\d{1,2}$/.test(first));

/** A password in a language without spaces would have other letters. */
const isNative = (value: string): boolean =>
  /^[\s\p{L}\p{M}\p{P}]+$/u.test(value) && !/[A-Za-zÀ-ž]/.test(value);

/** Whether a value after a password's name may be the password: "correct horse battery", but not "how to reset it". */
function mayBePassword(value: string): boolean {
  const [first = "", ...others] = toWords(value);
  if (hasSigns(first, others.length === 0)) return true;
  if (isNative(value)) return false;
  if (others.length === 0) return !isTopic(first);
  return ![first, ...others].some((word) => SENTENCE_WORDS.has(bare(word)) || isTopic(word));
}

/** Words are not secrets: "Gift cards: for everyone", "Cookie: policy". */
function looksSecret(value: string): boolean {
  const [first = "", ...others] = toWords(value);
  return hasSigns(first, others.length === 0) || (others.length === 0 && !isNative(value) && !isWord(first));
}

/** The whole name is that of a header or a setting: `api_key: qwerty`, `X-Api-Key: qwerty`. */
const IDENTIFIER = /^(?:\w+_\w+|[a-z]+[A-Z]\w*|[Xx]-[\w-]+)$/;

/** So much of a value is judged, so that a long line with many names takes linear time. */
const MAX_JUDGED = 200;

/** The end of a value in a text for people. */
function proseEnd(text: string, pair: Pair): number {
  const { sign, from } = pair;
  const head = text.slice(from, from + MAX_JUDGED);
  if (/^[|>][+\-\d]{0,2}[ \t]*(?:\r|\n|\\[rn])/.test(head)) return pairEnd(text, from, false);
  if (/^\\{0,8}["']/.test(head)) return /^[\\"']+\[masked\]/.test(head) ? from : pairEnd(text, from, true);
  const isLine = /(?:\s|：)$/.test(sign) && !/[=＝]/.test(sign);
  const after = isLine ? AFTER_LINE : AFTER_WORD;
  const isSecret = isSecretValue(pair, head.slice(0, plainEnd(head, 0, after)), isLine);
  return isSecret ? plainEnd(text, from, after) : from;
}

function isSecretValue({ name, sign }: Pair, value: string, isLine: boolean): boolean {
  const isEquals = /[=＝]/.test(sign);
  if (STRONG_NAME.test(name.normalize("NFKC"))) return isEquals || mayBePassword(value);
  if (value.includes(MASKED) || !isNameInProse(lastWords(name))) return false;
  if (IDENTIFIER.test(name.trim()) && toWords(value).length === 1) return true;
  return isLine ? looksSecret(value) : isEquals || /\d/.test(value);
}

function plainEnd(text: string, from: number, after: RegExp): number {
  after.lastIndex = from;
  return after.exec(text)?.index ?? text.length;
}

/** Masks `password: x`, `'token' => 'x'` and flags in a text for people. */
export const maskProse = (text: string): string => maskFlags(maskEachPair(text, proseEnd));

const FLAG = /(--?([\w-]{2,60})\s{1,4})([^\s"'-][^\s]*)/g;
/** `curl -u user:password`. */
const CURL_USER = /(\s(?:-u|--user|-U|--proxy-user)[\s=]{0,3}["']?[^\s:"']{0,64}:)[^\s"'\\]+/g;
/** `mysql -ppassword`, `sshpass -p password`, `redis-cli -a password`. */
const COMMAND_PASSWORD =
  /(\b(?:(?:mysql(?:dump|admin)?|mariadb(?:-\w{1,10})?)\b[^\r\n|;]{0,200}?\s-p|sshpass\s{1,3}-p\s{0,3}|redis-cli\b[^\r\n|;]{0,200}?\s-a\s{1,3}))(["']?)(?!\s)[^\s"'\\]+/g;

/** Masks `--api-key x`, and passwords in the short flags of known programs. */
export function maskFlags(text: string): string {
  const long = text.includes("--")
    ? text.replace(FLAG, (written, head: string, name: string) =>
        isSecretName(name) ? head + MASKED : written,
      )
    : text;
  if (!long.includes(" -")) return long;
  const users = long.includes("curl ") ? long.replace(CURL_USER, `$1${MASKED}`) : long;
  return users.replace(COMMAND_PASSWORD, `$1$2${MASKED}`);
}
