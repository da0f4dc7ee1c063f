/** A share link right after its creation, to be copied or embedded. */
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Alert, Group, Stack, Text } from "../../../ui/primitives/elements.tsx";
import { TextInput } from "../../../ui/primitives/fields.tsx";
import type { StatsView } from "../use-stats-view.ts";
import { toEmbedCode } from "./embed-code.ts";

/** Builds a link to the current view. The token is in the fragment, which browsers do not send to the server. */
function toShareLink({ params }: StatsView, token: string, page: "shared" | "embed" = "shared"): string {
  const url = new URL(page, document.baseURI);
  for (const [name, value] of Object.entries(params)) if (value) url.searchParams.set(name, value);
  url.hash = `token=${token}`;
  return url.href;
}

interface CreatedLinkProps {
  readonly view: StatsView;
  readonly created: { readonly label: string; readonly token: string };
}

export function CreatedLink({ view, created: { label, token } }: CreatedLinkProps) {
  const link = toShareLink(view, token);
  return (
    <Alert
      color="green"
      title={`Copy the link “${label}” now. It will not be shown again.`}
      role="status"
      className="wrap"
    >
      <Stack gap="sm">
        <Group gap="sm" wrap="nowrap">
          <TextInput
            aria-label="Link"
            readOnly
            flex="1"
            value={link}
            onFocus={(event) => event.currentTarget.select()}
          />
          <CopyButton text={link} label="Copy link" isPrimary />
        </Group>
        <Group gap="sm">
          <CopyButton text={toEmbedCode(toShareLink(view, token, "embed"))} label="Copy embed code" />
          <Text size="sm" c="dimmed">
            The code embeds the stats in a page. It works on the sites listed under Embedding in the source
            settings.
          </Text>
        </Group>
      </Stack>
    </Alert>
  );
}
