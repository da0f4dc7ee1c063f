import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense } from "react";
import { sourceQuery } from "../../queries.ts";
import { ButtonLink } from "../../ui/links.tsx";
import { lazily } from "../../ui/load-later.tsx";
import { EmptyState } from "../../ui/page-states.tsx";
import { Group, Text } from "../../ui/primitives/elements.tsx";

const CopySnippet = lazily(async () => (await import("../install/copy-snippet.tsx")).CopySnippet);

/** How often a source without events is polled. */
const FIRST_EVENT_POLL_MS = 3_000;

/** Asks for the source until its page shows the first event. */
export function usePollForFirstEvent(sourceId: string): void {
  useQuery({ ...sourceQuery(sourceId), refetchInterval: FIRST_EVENT_POLL_MS });
}

interface InstallPromptProps {
  readonly title: string;
  readonly sourceId: string;
  /** The page waits for the first one, and shows it without a reload. */
  readonly awaited: "event" | "request";
  readonly children: ReactNode;
}

/** The empty state of a source without events, with its snippet to copy and a link to its install page. */
export const InstallPrompt = ({ title, sourceId, awaited, children }: InstallPromptProps) => (
  <EmptyState
    title={title}
    action={
      <>
        <Group gap="xs" mt="sm" className="empty-actions">
          <Suspense fallback={null}>
            <CopySnippet sourceId={sourceId} />
          </Suspense>
          <ButtonLink to="/analytics/setup/install" search={{ sourceId }} size="xs" variant="default">
            Open Install
          </ButtonLink>
        </Group>
        <Text size="sm" fw={600} c="dimmed" mt="sm" role="status" className="waiting-dot">
          Waiting for the first {awaited}…
        </Text>
      </>
    }
  >
    {children}
  </EmptyState>
);
