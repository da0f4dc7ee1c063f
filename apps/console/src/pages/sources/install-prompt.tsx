import type { ReactNode } from "react";
import { ButtonLink } from "../../ui/links.tsx";
import { EmptyState } from "../../ui/page-states.tsx";

interface InstallPromptProps {
  readonly title: string;
  readonly sourceId: string;
  readonly children: ReactNode;
}

/** Where nothing has come yet: what leads to something. */
export const InstallPrompt = ({ title, sourceId, children }: InstallPromptProps) => (
  <EmptyState
    title={title}
    action={
      <ButtonLink to="/analytics/setup/install" search={{ sourceId }}>
        Install the snippet
      </ButtonLink>
    }
  >
    {children}
  </EmptyState>
);
