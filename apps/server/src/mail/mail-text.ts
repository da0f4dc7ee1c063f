/** Prepares texts of people and visitors for mails: they become no link, and do not change how the mail reads. */

const INVISIBLE = /[\p{Cf}\p{Cs}]/gu;
const BREAKS = /[\p{Cc}\p{Z}]+/gu;
/** Browsers read each of them as the dot of a host name. */
const DOTS = ".\u3002\uff0e\uff61\u2024";
/** An address with a scheme, `www.`, or a path or port after a host. */
const ADDRESS = new RegExp(`:\\/\\/|^\\P{L}*www[${DOTS}]|[${DOTS}][\\p{L}\\p{N}-]{2,63}[:/\\\\?#]`, "iu");
const DOT_IN_WORD = new RegExp(`([${DOTS}])(?=[\\p{L}\\p{N}])`, "gu");
const WORD_JOINER = "\u2060";
const MAX_NAME_LENGTH = 80;

const onOneLine = (text: string): string => text.replace(INVISIBLE, "").replace(BREAKS, " ").trim();

/** Mail programs make links of host names too. An invisible character after each dot keeps them from it. */
const breakHosts = (text: string): string =>
  text.replace(DOT_IN_WORD, `$1${WORD_JOINER}`).replaceAll("://", `:${WORD_JOINER}//`);

/** A value in the figures of a report, such as the path of a page or a referrer. */
export const withoutLinks = (text: string): string => breakHosts(onOneLine(text));

/** The name of a workspace, a person or a source: without addresses, and cut. */
export function toMailName(name: string): string {
  const words = onOneLine(name).split(" ");
  const shown = words.map((word) => (ADDRESS.test(word) ? "…" : word)).join(" ");
  const characters = [...shown];
  const cut =
    characters.length > MAX_NAME_LENGTH ? `${characters.slice(0, MAX_NAME_LENGTH - 1).join("")}…` : shown;
  return breakHosts(cut);
}
