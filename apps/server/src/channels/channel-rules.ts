/** A source's own rules for sources and channels. They win over the lists. */
import type { ChannelRule } from "@headwater/contract";
import { pathMatcher } from "@headwater/contract/path-pattern";

/** The first rule that matches; null: none. */
export type ChannelRules = (values: Readonly<Record<ChannelRule["field"], string>>) => ChannelRule | null;

/** Callers keep the result until the rules change. */
export function compileChannelRules(rules: readonly ChannelRule[]): ChannelRules {
  const compiled = rules.map((rule) => ({ rule, matches: pathMatcher([rule.pattern.toLowerCase()]) }));
  return (values) =>
    compiled.find(
      ({ rule, matches }) => values[rule.field] !== "" && matches(values[rule.field].toLowerCase()),
    )?.rule ?? null;
}
