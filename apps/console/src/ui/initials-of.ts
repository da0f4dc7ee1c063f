const firstLetter = (word: string | undefined) => /[\p{L}\p{N}]/u.exec(word ?? "")?.[0] ?? "";

/** @returns the first letters of the first and the last word: `AL` of `Ada Lovelace`, `G` of `grace@shop.example` */
export function initialsOf(name: string): string {
  const words = name
    .replace(/@.*/u, "")
    .split(/[\s._-]+/u)
    .filter((word) => firstLetter(word) !== "");
  const last = words.length > 1 ? words.at(-1) : undefined;
  return `${firstLetter(words[0])}${firstLetter(last)}`.toUpperCase();
}
