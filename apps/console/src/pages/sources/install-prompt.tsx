import type { ReactNode } from "react";
import { ButtonLink } from "../../ui/links.tsx";
import { loadLater } from "../../ui/load-later.tsx";
import { EmptyState } from "../../ui/page-states.tsx";
import { Text } from "../../ui/primitives/elements.tsx";

const SourceSnippet = loadLater(async () => (await import("../install/source-snippet.tsx")).SourceSnippet);

interface InstallPromptProps {
  readonly title: string;
  readonly sourceId: string;
  /** The page waits for the first one, and shows it without a reload. */
  readonly awaited: "event" | "request";
  readonly children: ReactNode;
}

/** The empty state of a source without events, with its snippet and a link to its install page. */
export const InstallPrompt = ({ title, sourceId, awaited, children }: InstallPromptProps) => (
  <EmptyState
    title={title}
    action={
      <>
        <div className="empty-snippet">
          <SourceSnippet sourceId={sourceId} />
        </div>
        <ButtonLink to="/analytics/setup/install" search={{ sourceId }} mt="sm">
          Install the snippet
        </ButtonLink>
        <Text size="sm" fw={600} c="dimmed" mt="sm" role="status" className="waiting-dot">
          Waiting for the first {awaited}…
        </Text>
      </>
    }
  >
    {children}
  </EmptyState>
);
