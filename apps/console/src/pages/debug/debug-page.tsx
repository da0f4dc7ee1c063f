/** The debug page: the live list of a source's attempts, with the details of the opened one. */
import type { Source } from "@headwater/contract";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { healthQuery } from "../../queries.ts";
import { useShortcuts } from "../../shortcuts.tsx";
import { formatCount, pluralize } from "../../ui/format-count.ts";
import { EmptyState, ErrorAlert, Loading, QueryResult } from "../../ui/page-states.tsx";
import { Button, Group, Stack, Text } from "../../ui/primitives/elements.tsx";
import { InstallPrompt } from "../sources/install-prompt.tsx";
import { SourcePage } from "../sources/source-page.tsx";
import { AttemptDetails } from "./attempt-details.tsx";
import { AttemptList } from "./attempt-list.tsx";
import type { AttemptLogState } from "./attempt-log.ts";
import { originsOf } from "./attempt-summary.ts";
import "./debug.css";
import { FilterBar, readAttemptFilters } from "./filter-bar.tsx";
import { HealthPanel } from "./health-panel.tsx";
import { useAttemptLog } from "./use-attempt-log.ts";
import { useOpenedAttempt } from "./use-opened-attempt.ts";

/** The minimum time between two requests of the health counters. */
const HEALTH_MS = 2_000;

export const DebugPage = () => (
  <SourcePage title="Debug" permission="debug:read">
    {(source) => <Debug source={source} />}
  </SourcePage>
);

/** Refetches the health counters after a new attempt. */
function useFreshHealth(sourceId: string, newest: string | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (newest === undefined) return;
    const readAt = client.getQueryState(healthQuery(sourceId).queryKey)?.dataUpdatedAt ?? 0;
    const waitMs = Math.max(0, readAt + HEALTH_MS - Date.now());
    const timer = setTimeout(() => void client.invalidateQueries({ queryKey: ["health", sourceId] }), waitMs);
    return () => clearTimeout(timer);
  }, [client, sourceId, newest]);
}

function Debug({ source }: { readonly source: Source }) {
  const { sourceId } = source;
  const search = useSearch({ strict: false }) as Record<string, string | undefined>;
  const navigate = useNavigate();
  const filters = useMemo(() => readAttemptFilters(search), [search]);
  const [state, log] = useAttemptLog(sourceId, filters);
  const health = useQuery(healthQuery(sourceId));
  const isFiltered = Object.keys(filters).length > 0;
  const matching = useQuery({ ...healthQuery(sourceId, filters), placeholderData: keepPreviousData });
  useFreshHealth(sourceId, state.attempts[0]?.attemptId);

  const filter = (changes: Record<string, string | undefined>) =>
    void navigate({
      to: ".",
      search: (before) => ({ ...before, ...changes, attempt: undefined }),
      resetScroll: false,
    });
  const { open, close: closeAttempt } = useOpenedAttempt(search.attempt);
  const list = useRef<HTMLDivElement>(null);
  const close = () => {
    list.current?.focus();
    closeAttempt();
  };
  useShortcuts(search.attempt === undefined ? [] : [["Escape", close]]);
  const loadOlder = useCallback(() => log?.loadOlder(), [log]);
  const opened = state.attempts.find(({ attemptId }) => attemptId === search.attempt);
  // the page appears at once, so that nothing moves while its parts load
  const [isReady, setReady] = useState(false);
  if (!isReady && !health.isPending && !state.isLoading) setReady(true);
  const isNotFound = search.attempt !== undefined && !opened && !state.isLoading && state.attempts.length > 0;

  if (!isReady) return <Loading rows={8} />;
  const isNew = health.data?.health.status === "waiting" && state.attempts.length === 0;
  if (isNew && !state.error) return <NoAttempts state={state} isFiltered={false} sourceId={sourceId} />;
  return (
    <Stack gap="md">
      <QueryResult query={health} rows={1}>
        {(data) => (
          <HealthPanel
            source={source}
            health={data.health}
            violations={data.planViolations}
            attempts={state.attempts}
            allGroups={data.requestGroups}
            groups={matching.data?.requestGroups}
            isFiltered={isFiltered}
            isFolded={opened !== undefined}
            chosenCode={filters.code ?? undefined}
            onFilter={filter}
            // the requests that are accepted now have no code
            onAllow={(code) => filters.code === code && filter({ code: undefined })}
          />
        )}
      </QueryResult>
      <FilterBar filters={filters} origins={originsOf(health.data?.requestGroups ?? [])} onChange={filter}>
        <LiveControls state={state} onPause={() => log?.pause()} onResume={() => log?.resume()} />
      </FilterBar>
      {state.error && (!health.error || health.data) && (
        // a broken stream is opened again without a press
        <ErrorAlert error={state.error} onRetry={state.isLive ? () => log?.retry() : undefined} />
      )}
      {isNotFound && (
        <Text size="sm" role="status">
          The linked request is not in this list.{" "}
          {isFiltered
            ? "Clear the filters to look for it."
            : state.hasOlder
              ? "Scroll down to load older requests."
              : "It is no longer stored."}
        </Text>
      )}
      {state.attempts.length === 0 ? (
        <NoAttempts state={state} isFiltered={isFiltered} sourceId={sourceId} />
      ) : (
        <div className="debug" data-opened={opened ? "yes" : undefined}>
          <AttemptList
            list={list}
            attempts={state.attempts}
            opened={opened?.attemptId ?? null}
            onOpen={open}
            hasOlder={state.hasOlder}
            onEnd={loadOlder}
          />
          {opened && <AttemptDetails source={source} attempt={opened} onClose={close} />}
        </div>
      )}
    </Stack>
  );
}

interface LiveControlsProps {
  readonly state: AttemptLogState;
  readonly onPause: () => void;
  readonly onResume: () => void;
}

function LiveControls({
  state: { attempts, pendingCount, isPaused, isLive },
  onPause,
  onResume,
}: LiveControlsProps) {
  const status = isPaused ? "Paused" : isLive ? "Live" : "Connecting…";
  return (
    <Group gap="md" className="live-controls">
      <Text size="sm" className="live" data-live={isLive && !isPaused ? "yes" : undefined} role="status">
        {status}
      </Text>
      <Button size="xs" variant="default" onClick={isPaused ? onResume : onPause}>
        {isPaused ? "Resume" : "Pause"}
      </Button>
      <Text size="sm" c="dimmed" className={pendingCount === 0 ? "live-count" : undefined}>
        {pluralize(attempts.length, "request")}
        {pendingCount > 0 && `, ${formatCount(pendingCount)} new`}
      </Text>
    </Group>
  );
}

interface NoAttemptsProps {
  readonly state: AttemptLogState;
  readonly isFiltered: boolean;
  readonly sourceId: string;
}

function NoAttempts({ state, isFiltered, sourceId }: NoAttemptsProps) {
  if (state.isLoading) return <Loading />;
  if (state.error) return null;
  if (isFiltered)
    return (
      <EmptyState title="No matching requests">
        No stored request matches these filters. Change or clear them.
      </EmptyState>
    );
  return (
    <InstallPrompt title="No requests yet" sourceId={sourceId} awaited="request">
      Requests with this source’s key appear here within a second, including refused ones.
    </InstallPrompt>
  );
}
