import { ButtonLink } from "../links.tsx";
import { Group, Text } from "../primitives/elements.tsx";
import { StandalonePage } from "../standalone-page.tsx";

export const NotFoundPage = () => (
  <StandalonePage title="Page not found">
    <Text>This page does not exist. Check the link, or go to your sources.</Text>
    <Group>
      <ButtonLink to="/sources">Go to sources</ButtonLink>
    </Group>
  </StandalonePage>
);
