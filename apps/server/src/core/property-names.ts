/** Which properties of events queries and goals can read. Pure. */
import type { Issue } from "@headwater/contract";

/** ClickHouse reads some names as subcolumns of a type. Properties with such names cannot be queried. */
export const propertyIssues = (name: string, path: (string | number)[]): Issue[] =>
  /(?:^\^|\.:)`/.test(name)
    ? [
        {
          path,
          code: "invalid_value",
          message: "a property whose name contains .:` or begins with ^` cannot be queried",
        },
      ]
    : [];
