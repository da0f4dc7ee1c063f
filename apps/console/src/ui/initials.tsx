/** A picture of a person or a workspace: the first letters of the name. */
import { initialsOf } from "./initials-of.ts";

interface InitialsProps {
  readonly name: string;
  /** A square with one letter instead of a circle with two. */
  readonly isWorkspace?: boolean;
}

/** It stands beside the name, so it is a picture for the eyes only: no text of the page. */
export const Initials = ({ name, isWorkspace = false }: InitialsProps) => (
  <span
    className="initials"
    data-workspace={isWorkspace || undefined}
    data-letters={isWorkspace ? initialsOf(name).slice(0, 1) : initialsOf(name)}
    aria-hidden="true"
  />
);
