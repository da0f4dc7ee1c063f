import { useLocation } from "@tanstack/react-router";
import { session } from "../../session.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { ButtonLink } from "../links.tsx";
import { useTabTitle } from "../page.tsx";
import { EmptyState } from "../page-states.tsx";
import { Group, Text } from "../primitives/elements.tsx";
import { StandalonePage } from "../standalone-page.tsx";
import { Shell } from "./shell.tsx";

const TITLE = "Page not found";

/** A user who is signed in keeps the navigation. */
export const NotFoundPage = () =>
  session.isSignedIn() ? (
    <Shell>
      <MissingPage />
    </Shell>
  ) : (
    <StandalonePage title={TITLE}>
      <Text>This page does not exist. Check the link, or go to your sources.</Text>
      <Group>
        <ButtonLink to="/sources">Go to sources</ButtonLink>
      </Group>
    </StandalonePage>
  );

function MissingPage() {
  const { organizationId, can } = useWorkspace();
  const { pathname } = useLocation();
  const [recent] = can("stats:read") ? session.recentSources(organizationId) : [];
  useTabTitle(TITLE);
  const actions = (
    <Group gap="xs" mt="sm" className="empty-actions">
      <ButtonLink to="/sources" className="wrap-button">
        Go to sources
      </ButtonLink>
      {recent && (
        <ButtonLink
          to="/analytics/stats"
          search={{ sourceId: recent.sourceId }}
          variant="default"
          className="wrap-button"
        >
          Open {recent.name}
        </ButtonLink>
      )}
    </Group>
  );
  return (
    <div className="missing">
      <EmptyState isPage title={TITLE} action={actions}>
        <code className="wrap">{pathname}</code> does not exist. Check the link, or go to your sources.
      </EmptyState>
    </div>
  );
}
