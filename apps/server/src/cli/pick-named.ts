/** Picks the row that a command's argument names, by its id or by its name. */

import type { Source } from "@headwater/contract";
import { HEADWATER } from "../core/command-name.ts";
import { CommandFailed } from "./errors.ts";

export interface NamedKind<Row> {
  /** In a message, such as "source". */
  readonly what: string;
  /** The command that lists the rows. */
  readonly list: string;
  idOf(row: Row): string;
  namesOf(row: Row): readonly (string | null)[];
}

/** An id wins over a name; names are compared without case. */
export function findAll<Row>(
  rows: readonly Row[],
  given: string,
  { idOf, namesOf }: NamedKind<Row>,
): readonly Row[] {
  const byId = rows.find((row) => idOf(row) === given);
  if (byId !== undefined) return [byId];
  const wanted = given.toLowerCase();
  return rows.filter((row) => namesOf(row).some((name) => name?.toLowerCase() === wanted));
}

/** @throws CommandFailed unless exactly one id fits */
export function pick<Row>(rows: readonly Row[], given: string, kind: NamedKind<Row>): Row {
  const { what, list, idOf } = kind;
  const found = findAll(rows, given, kind);
  const [first] = found;
  const ids = new Set(found.map(idOf));
  if (ids.size === 1 && first !== undefined) return first;
  const problem =
    first === undefined
      ? `There is no ${what} ${JSON.stringify(given)}`
      : `Several ${what}s have the name ${JSON.stringify(given)}: ${[...ids].join(", ")}`;
  throw new CommandFailed(`${problem}. Run \`${list}\` to see the ids.`);
}

type NamedSource = Pick<Source, "sourceId" | "name" | "slug" | "publicKey">;

export const pickSource = <Row extends NamedSource>(rows: readonly Row[], given: string): Row =>
  pick(rows, given, {
    what: "source",
    list: `${HEADWATER} source list`,
    idOf: ({ sourceId }) => sourceId,
    namesOf: ({ name, slug, publicKey }) => [name, slug, publicKey],
  });

export const pickWorkspace = <Row extends { organizationId: string; name: string }>(
  rows: readonly Row[],
  given: string,
): Row =>
  pick(rows, given, {
    what: "workspace",
    list: `${HEADWATER} workspace list`,
    idOf: ({ organizationId }) => organizationId,
    namesOf: ({ name }) => [name],
  });
