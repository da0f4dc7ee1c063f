/** The origins that may send, one a line; each is shown at once as it will be kept, or with what was probably meant. */
import { normalizeOrigin, suggestOrigin } from "@headwater/contract/origin";
import { Button, Fieldset, Group, Stack, Text, TextInput } from "@mantine/core";

interface OriginsFieldProps {
  readonly origins: readonly string[];
  readonly onChange: (origins: string[]) => void;
  /** What the service said of one of those that were sent. */
  readonly issueAt?: ((index: number) => string | null) | undefined;
}

/** What is to be sent: empty lines are no origins. */
export const givenOrigins = (origins: readonly string[]): string[] =>
  origins.map((origin) => origin.trim()).filter((origin) => origin !== "");

export const areOrigins = (origins: readonly string[]): boolean =>
  givenOrigins(origins).every((origin) => normalizeOrigin(origin) !== null);

export function OriginsField({ origins, onChange, issueAt }: OriginsFieldProps) {
  const lines = origins.length === 0 ? [""] : origins;
  const replace = (index: number, value: string) =>
    onChange(lines.map((line, at) => (at === index ? value : line)));
  return (
    <Fieldset legend="Allowed origins" variant="unstyled">
      <Text size="sm" c="dimmed" mb="xs">
        Scheme, host and port of the pages that may send: https://shop.example.com, https://*.example.com for
        every sub-domain, http://localhost:* for any port, or * for all.
      </Text>
      <Stack gap="xs">
        {lines.map((line, index) => (
          <OriginLine
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place
            key={index}
            line={line}
            number={index + 1}
            issue={issueAt?.(index) ?? null}
            onChange={(value) => replace(index, value)}
            onRemove={lines.length > 1 ? () => onChange(lines.filter((_, at) => at !== index)) : null}
          />
        ))}
        <Group>
          <Button size="xs" variant="default" onClick={() => onChange([...lines, ""])}>
            Add another
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}

interface OriginLineProps {
  readonly line: string;
  readonly number: number;
  readonly issue: string | null;
  readonly onChange: (value: string) => void;
  readonly onRemove: (() => void) | null;
}

function OriginLine({ line, number, issue, onChange, onRemove }: OriginLineProps) {
  const isGiven = line.trim() !== "";
  const normal = isGiven ? normalizeOrigin(line) : null;
  const meant = isGiven && normal === null ? suggestOrigin(line) : null;
  const wrong =
    isGiven && normal === null ? "This is no origin: scheme://host, with a port where there is one." : null;
  return (
    <div>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <TextInput
          flex={1}
          aria-label={`Origin ${number}`}
          placeholder="https://www.example.com"
          value={line}
          error={issue ?? wrong}
          spellCheck={false}
          autoCapitalize="off"
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        {onRemove && (
          <Button variant="default" onClick={onRemove} aria-label={`Remove origin ${number}`}>
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
        {normal !== null && normal !== line.trim() && (
          <Text size="sm" c="dimmed" className="wrap">
            Kept as <code>{normal}</code>
          </Text>
        )}
      </Group>
    </div>
  );
}
