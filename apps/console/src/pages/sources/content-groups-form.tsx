/** The section for a source's content groups. */
import type { Source } from "@headwater/contract";
import { formatContentGroup, parseContentGroup } from "@headwater/contract/goal-text";
import { SettingsSection } from "./form-section.tsx";
import { checkGroup, GROUP_RULE } from "./line-rules.ts";
import { areValidLines, parseLines } from "./lines.ts";
import { LinesField } from "./lines-field.tsx";
import { type SettingsPart, useSettings } from "./settings-form.tsx";

interface GroupFields {
  /** One group per line. */
  readonly groups: string;
}

const parseGroups = (text: string) => parseLines(text).flatMap((line) => parseContentGroup(line) ?? []);

export const CONTENT_GROUPS: SettingsPart<GroupFields> = {
  title: "Content groups",
  stored: ({ contentGroups }: Source) => ({ groups: contentGroups.map(formatContentGroup).join("\n") }),
  normalize: ({ groups }) => (groups === undefined ? {} : { groups: parseLines(groups).join("\n") }),
  toPatch: ({ groups }) =>
    groups === undefined
      ? {}
      : { contentGroups: parseGroups(groups).map(({ name, paths }) => ({ name, paths: [...paths] })) },
  isValid: ({ groups }) => areValidLines(groups, checkGroup),
};

export function ContentGroupsForm() {
  const { fields, setFields, failure } = useSettings(CONTENT_GROUPS);
  const issueAt = (index: number) => {
    const paths = parseGroups(fields.groups)[index]?.paths ?? [];
    const isRefused =
      failure?.issueAt("contentGroups", index, "name") ??
      paths.some((_, at) => failure?.issueAt("contentGroups", index, "paths", at));
    return isRefused ? GROUP_RULE : null;
  };
  return (
    <SettingsSection
      title="Content groups"
      text="Pages that the stats combine into groups. Changes apply to past events too."
    >
      <LinesField
        label="Groups"
        description="One group per line: its name and its paths. A page belongs to the first group that it matches."
        placeholder={"Docs=/docs/*; /guides/*\nBlog=/blog/*"}
        value={fields.groups}
        check={checkGroup}
        issueAt={issueAt}
        issue={failure?.issueAt("contentGroups")}
        onChange={(groups) => setFields({ groups })}
      />
    </SettingsSection>
  );
}
