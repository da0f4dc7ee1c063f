/** A list of allowed origins. Each line shows what it is saved as, or why it cannot be understood. */
import { readSiteAddress } from "@headwater/contract/site-address";
import { Button, Group, Stack, Text } from "../../ui/primitives/elements.tsx";
import { TextInput, type TextInputProps } from "../../ui/primitives/fields.tsx";

interface OriginsFieldProps {
  readonly label: string;
  readonly help: string;
  /** The name of each line, before its number. */
  readonly lineLabel: string;
  readonly origins: readonly string[];
  readonly onChange: (origins: string[]) => void;
  /** The API's message about the origin at that index. */
  readonly issueAt?: ((index: number) => string | null) | undefined;
}

/** @returns the origins to send to the API: without empty lines, and corrected where they can be understood */
export const cleanOrigins = (origins: readonly string[]): string[] =>
  origins
    .filter((origin) => origin.trim() !== "")
    .map((origin) => readSiteAddress(origin).origin ?? origin.trim());

export const areValidOrigins = (origins: readonly string[]): boolean =>
  cleanOrigins(origins).every((origin) => readSiteAddress(origin).problem === null);

export const ALLOWED_ORIGINS = {
  label: "Allowed origins",
  help: "The sites that may send events, such as shop.example.com or localhost:3000. Use https://*.example.com for all subdomains, http://localhost:* for any port, or * for every site.",
  lineLabel: "Origin",
} as const;

export function OriginsField({ label, help, ...list }: OriginsFieldProps) {
  return (
    <fieldset className="field-group">
      <legend>{label}</legend>
      <Text size="sm" c="dimmed" mb={4}>
        {help}
      </Text>
      <OriginLines {...list} />
    </fieldset>
  );
}

interface OriginLinesProps extends Pick<OriginsFieldProps, "lineLabel" | "origins" | "onChange" | "issueAt"> {
  /** The number of the first line. */
  readonly first?: number;
}

/** The lines without a label for all of them. */
export function OriginLines({ lineLabel, origins, onChange, issueAt, first = 1 }: OriginLinesProps) {
  const lines = origins.length === 0 ? [""] : origins;
  return (
    <Stack gap="xs">
      {lines.map((line, index) => (
        <OriginLine
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity than their position
          key={index}
          line={line}
          aria-label={`${lineLabel} ${index + first}`}
          issue={issueAt?.(index) ?? null}
          onChange={(value) => onChange(lines.with(index, value))}
          onRemove={lines.length > 1 ? () => onChange(lines.toSpliced(index, 1)) : null}
        />
      ))}
      <Group>
        <Button size="xs" variant="default" onClick={() => onChange([...lines, ""])}>
          Add {lineLabel.toLowerCase()}
        </Button>
      </Group>
    </Stack>
  );
}

interface OriginLineProps extends Pick<TextInputProps, "label" | "description" | "aria-label" | "autoFocus"> {
  readonly line: string;
  readonly issue: string | null;
  readonly onChange: (value: string) => void;
  readonly onRemove?: (() => void) | null;
}

const explain = (line: string, problem: string) =>
  /\S\s+\S/.test(line)
    ? "Remove the spaces. An address looks like www.example.com."
    : `This address cannot be used: ${problem}.`;

const NOTHING = { origin: null, problem: null, meant: null };

export function OriginLine({ line, issue, onChange, onRemove, ...labels }: OriginLineProps) {
  const { origin, problem, meant } = line.trim() === "" ? NOTHING : readSiteAddress(line);
  return (
    <div>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <TextInput
          flex={1}
          {...labels}
          placeholder="www.example.com"
          value={line}
          error={issue ?? (problem === null ? null : explain(line, problem))}
          spellCheck={false}
          autoCapitalize="off"
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        {onRemove && (
          <Button
            variant="default"
            onClick={onRemove}
            aria-label={`Remove ${labels["aria-label"]?.toLowerCase()}`}
          >
            Remove
          </Button>
        )}
      </Group>
      <Group gap="xs" mt={4} aria-live="polite">
        {meant !== null && (
          <Button size="xs" variant="light" onClick={() => onChange(meant)} className="wrap-button">
            Did you mean {meant}?
          </Button>
        )}
        {origin !== null && origin !== line.trim() && (
          <Text size="sm" c="dimmed" className="wrap">
            Saved as <code>{origin}</code>
          </Text>
        )}
      </Group>
    </div>
  );
}
