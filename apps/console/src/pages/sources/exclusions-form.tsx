/** The section for what a source does not count: bots, excluded paths and IP addresses. */
import type { BotPolicy, Source } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { profileQuery } from "../../queries.ts";
import { Button, Group, Text } from "../../ui/primitives/elements.tsx";
import { NativeSelect } from "../../ui/primitives/fields.tsx";
import { SettingsSection } from "./form-section.tsx";
import { checkAddress, checkPath } from "./line-rules.ts";
import { areValidLines, parseLines } from "./lines.ts";
import { LinesField } from "./lines-field.tsx";
import { type SettingsPart, useSettings } from "./settings-form.tsx";

const BOT_OPTIONS = [
  { value: "apart", label: "Store, but exclude from stats" },
  { value: "reject", label: "Reject" },
  { value: "keep", label: "Count like other visitors" },
] as const satisfies readonly { value: BotPolicy; label: string }[];

interface ExclusionFields {
  readonly bots: BotPolicy;
  /** One path per line. */
  readonly paths: string;
  /** One address or range per line. */
  readonly addresses: string;
}

export const EXCLUSIONS: SettingsPart<ExclusionFields> = {
  title: "Exclusions",
  stored: ({ bots, excludedPaths, excludedAddresses }: Source) => ({
    bots,
    paths: excludedPaths.join("\n"),
    addresses: excludedAddresses.join("\n"),
  }),
  normalize: ({ paths, addresses, ...rest }) => ({
    ...rest,
    ...(paths !== undefined && { paths: parseLines(paths).join("\n") }),
    ...(addresses !== undefined && { addresses: parseLines(addresses).join("\n") }),
  }),
  toPatch: ({ paths, addresses, ...rest }) => ({
    ...rest,
    ...(paths !== undefined && { excludedPaths: parseLines(paths) }),
    ...(addresses !== undefined && { excludedAddresses: parseLines(addresses) }),
  }),
  isValid: ({ paths, addresses }) =>
    areValidLines(paths, checkPath) && areValidLines(addresses, checkAddress),
};

interface OwnAddressProps {
  readonly addresses: string;
  readonly onAdd: (addresses: string) => void;
}

/** Offers the address of the person who looks at the page. */
function OwnAddress({ addresses, onAdd }: OwnAddressProps) {
  const own = useQuery(profileQuery).data?.clientAddress;
  const listed = parseLines(addresses);
  if (own === undefined || listed.includes(own)) return null;
  return (
    <Group gap="xs">
      <Text size="sm">
        Your IP address: <code>{own}</code>
      </Text>
      <Button size="xs" variant="default" onClick={() => onAdd([...listed, own].join("\n"))}>
        Exclude your address
      </Button>
    </Group>
  );
}

export function ExclusionsForm() {
  const { fields, setFields, failure } = useSettings(EXCLUSIONS);
  return (
    <SettingsSection
      title="Exclusions"
      text="Choose which traffic is not counted. Changes apply to new events only."
    >
      <NativeSelect
        label="Bots"
        data={[...BOT_OPTIONS]}
        value={fields.bots}
        // the options are policies
        onChange={(event) => setFields({ bots: event.currentTarget.value as BotPolicy })}
      />
      <LinesField
        label="Excluded paths"
        description="One path per line. Use * as a wildcard."
        placeholder="/admin/*"
        value={fields.paths}
        check={checkPath}
        issueAt={(index) => failure?.issueAt("excludedPaths", index) ?? null}
        issue={failure?.issueAt("excludedPaths")}
        onChange={(paths) => setFields({ paths })}
      />
      <LinesField
        label="Excluded IP addresses"
        description="One IP address or CIDR range per line, such as your office’s."
        placeholder="203.0.113.0/24"
        value={fields.addresses}
        check={checkAddress}
        issueAt={(index) => failure?.issueAt("excludedAddresses", index) ?? null}
        issue={failure?.issueAt("excludedAddresses")}
        onChange={(addresses) => setFields({ addresses })}
      />
      <OwnAddress addresses={fields.addresses} onAdd={(addresses) => setFields({ addresses })} />
    </SettingsSection>
  );
}
