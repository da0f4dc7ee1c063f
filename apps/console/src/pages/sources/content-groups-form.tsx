/** The form for a source's content groups. */
import type { Source } from "@headwater/contract";
import { formatContentGroup, parseContentGroup } from "@headwater/contract/goal-text";
import { SaveRow } from "../../save-row.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { FormSection } from "./form-section.tsx";
import { parseLines } from "./lines.ts";
import { LinesField } from "./lines-field.tsx";
import { useSourceForm } from "./source-form.tsx";

const RULE = "A group is a name = paths that start with /, separated by semicolons.";

interface GroupFields {
  /** One group per line. */
  readonly groups: string;
}

const toFields = ({ contentGroups }: Source): GroupFields => ({
  groups: contentGroups.map(formatContentGroup).join("\n"),
});
const normalize = ({ groups }: Partial<GroupFields>): Partial<GroupFields> =>
  groups === undefined ? {} : { groups: parseLines(groups).join("\n") };
/** Stands for a line that is no group: the service refuses it, so the form names the line. */
const INVALID_GROUP = { name: "", paths: [] };
const toPatch = ({ groups }: Partial<GroupFields>) =>
  groups === undefined
    ? {}
    : {
        contentGroups: parseLines(groups).map((line) => {
          const { name, paths } = parseContentGroup(line) ?? INVALID_GROUP;
          return { name, paths: [...paths] };
        }),
      };

export function ContentGroupsForm({ source }: { readonly source: Source }) {
  const form = useSourceForm({ source, stored: toFields(source), normalize, toPatch });
  const { fields, setFields, submit, saved, failure, isUnsaved } = form;
  const lines = parseLines(fields.groups);
  const invalid = lines.find(
    (line, index) =>
      failure?.issueAt("contentGroups", index, "name") ??
      parseContentGroup(line)?.paths.some((_, at) => failure?.issueAt("contentGroups", index, "paths", at)),
  );
  return (
    <FormSection
      title="Content groups"
      text="Groups of pages that the stats show as one. Changes apply to past events too."
      onSubmit={submit}
    >
      {saved.error && <ErrorAlert error={saved.error} />}
      <LinesField
        label="Groups"
        description="One group per line, such as Docs=/docs/*; /guides/*. A page belongs to the first one that it matches."
        value={fields.groups}
        error={invalid === undefined ? failure?.issueAt("contentGroups") : `${invalid}: ${RULE}`}
        onChange={(event) => setFields({ groups: event.currentTarget.value })}
      />
      <SaveRow saved={saved} what="groups" isUnsaved={isUnsaved} />
    </FormSection>
  );
}
