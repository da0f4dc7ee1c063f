import { ButtonLink } from "../links.tsx";
import { Group, Text } from "../primitives/elements.tsx";
import { StandalonePage } from "../standalone-page.tsx";

export const NotFoundPage = () => (
  <StandalonePage title="Page not found">
    <Text>This page does not exist. Check that the link is complete.</Text>
    <Group>
      <ButtonLink to="/sources">Go to sources</ButtonLink>
    </Group>
  </StandalonePage>
);
