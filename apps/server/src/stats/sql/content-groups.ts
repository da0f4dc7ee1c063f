/** The content groups of a source (docs/stats.md): their patterns as SQL. */
import type { ContentGroup } from "@headwater/contract";
import { storedPattern } from "@headwater/contract/path-pattern";
import type { SourceRecord } from "../../ledger/records.ts";
import { asText, type TextSql, textSql } from "./dimensions.ts";
import { list } from "./statement.ts";

/** Patterns of paths as a regular expression: `*` matches any text, all else itself. */
const toExpression = (patterns: readonly string[]) => {
  const texts = patterns.map((one) => one.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*"));
  return `^(?s:${texts.join("|")})$`;
};

/** The content groups of a source, with patterns in the form in which it stores paths. */
export const storedContentGroups = ({
  contentGroups,
  pathRules,
}: Pick<SourceRecord, "contentGroups" | "pathRules">): ContentGroup[] =>
  contentGroups.map(({ name, paths }) => ({ name, paths: paths.map(storedPattern(pathRules)) }));

/** The name of the first group that an event belongs to. One expression for a group takes a quarter of the time of its patterns. */
export const contentGroupSql =
  (groups: readonly ContentGroup[]): TextSql =>
  (bind) => {
    const branches = groups.flatMap(({ name, paths }) => [
      `match(${textSql("page")}, ${bind("String", toExpression(paths))})`,
      bind("String", name),
    ]);
    return groups.length === 0 ? asText("NULL") : asText(`multiIf(${list([...branches, "NULL"])})`);
  };
