/** The form for what a source does not count: bots, excluded paths and IP addresses. */
import type { BotPolicy, Source } from "@headwater/contract";
import { NativeSelect } from "@mantine/core";
import { SaveRow } from "../../save-row.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { FormSection } from "./form-section.tsx";
import { parseLines } from "./lines.ts";
import { LinesField } from "./lines-field.tsx";
import { PATH_RULE } from "./path-rule.ts";
import { useSourceForm } from "./source-form.tsx";

const BOT_OPTIONS = [
  { value: "apart", label: "Store, but exclude from stats" },
  { value: "reject", label: "Reject" },
  { value: "keep", label: "Count like other visitors" },
] as const satisfies readonly { value: BotPolicy; label: string }[];

const ADDRESS_RULE = "Enter an IP address, or a range such as 203.0.113.0/24 or 2001:db8::/48.";

interface ExclusionFields {
  readonly bots: BotPolicy;
  /** One path per line. */
  readonly paths: string;
  /** One address or range per line. */
  readonly addresses: string;
}

const normalize = ({ paths, addresses, ...rest }: Partial<ExclusionFields>): Partial<ExclusionFields> => ({
  ...rest,
  ...(paths !== undefined && { paths: parseLines(paths).join("\n") }),
  ...(addresses !== undefined && { addresses: parseLines(addresses).join("\n") }),
});

const toPatch = ({ paths, addresses, ...rest }: Partial<ExclusionFields>) => ({
  ...rest,
  ...(paths !== undefined && { excludedPaths: parseLines(paths) }),
  ...(addresses !== undefined && { excludedAddresses: parseLines(addresses) }),
});

export function ExclusionsForm({ source }: { readonly source: Source }) {
  const stored: ExclusionFields = {
    bots: source.bots,
    paths: source.excludedPaths.join("\n"),
    addresses: source.excludedAddresses.join("\n"),
  };
  const form = useSourceForm({ source, stored, normalize, toPatch });
  const { fields, setFields, submit, saved, failure, isUnsaved } = form;
  const invalidPath = parseLines(fields.paths).find((_, index) => failure?.issueAt("excludedPaths", index));
  const invalidAddress = parseLines(fields.addresses).find((_, index) =>
    failure?.issueAt("excludedAddresses", index),
  );
  return (
    <FormSection
      title="Exclusions"
      text="What is not counted. Changes apply to new events only."
      onSubmit={submit}
    >
      {saved.error && <ErrorAlert error={saved.error} />}
      <NativeSelect
        label="Bots"
        data={[...BOT_OPTIONS]}
        value={fields.bots}
        onChange={(event) => setFields({ bots: event.currentTarget.value as BotPolicy })}
      />
      <LinesField
        label="Excluded paths"
        description="One path per line. Use * as a wildcard, as in /admin/*."
        value={fields.paths}
        error={invalidPath === undefined ? failure?.issueAt("excludedPaths") : `${invalidPath}: ${PATH_RULE}`}
        onChange={(event) => setFields({ paths: event.currentTarget.value })}
      />
      <LinesField
        label="Excluded IP addresses"
        description="One IP address or CIDR range per line, such as your office’s 203.0.113.0/24."
        value={fields.addresses}
        error={
          invalidAddress === undefined
            ? failure?.issueAt("excludedAddresses")
            : `${invalidAddress}: ${ADDRESS_RULE}`
        }
        onChange={(event) => setFields({ addresses: event.currentTarget.value })}
      />
      <SaveRow saved={saved} what="exclusions" isUnsaved={isUnsaved} />
    </FormSection>
  );
}
