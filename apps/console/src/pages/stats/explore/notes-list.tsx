/** Short sentences beside a table of the Explore view. */
import { Stack, Text } from "../../../ui/primitives/elements.tsx";

export const Notes = ({ texts }: { readonly texts: readonly string[] }) =>
  texts.length === 0 ? null : (
    <Stack gap={4} className="explore-notes">
      {texts.map((text) => (
        <Text key={text} size="sm" c="dimmed" className="wrap">
          {text}
        </Text>
      ))}
    </Stack>
  );
