import type { ReactNode } from "react";
import { ButtonLink } from "../../ui/links.tsx";
import { EmptyState } from "../../ui/page-states.tsx";

interface InstallPromptProps {
  readonly title: string;
  readonly sourceId: string;
  readonly children: ReactNode;
}

/** The empty state of a source without events, with a link to its install page. */
export const InstallPrompt = ({ title, sourceId, children }: InstallPromptProps) => (
  <EmptyState
    title={title}
    action={
      <ButtonLink to="/analytics/setup/install" search={{ sourceId }}>
        Go to install
      </ButtonLink>
    }
  >
    {children}
  </EmptyState>
);
