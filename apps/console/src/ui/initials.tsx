/** A picture of a person or a workspace: the first letters of the name. */

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

interface InitialsProps {
  readonly name: string;
  readonly isWorkspace?: boolean;
}

/** It stands beside the name, so it is hidden from screen readers. */
export const Initials = ({ name, isWorkspace = false }: InitialsProps) => (
  <span className="initials" data-workspace={isWorkspace || undefined} aria-hidden="true">
    {initialsOf(name)}
  </span>
);
