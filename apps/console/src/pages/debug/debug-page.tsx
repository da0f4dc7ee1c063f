/** Every attempt of a source as it happens, and one of them open beside the list. */
import type { Source } from "@headwater/contract";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { healthQuery } from "../../queries.ts";
import { pluralize } from "../../ui/format-count.ts";
import { EmptyState, ErrorAlert, Loading, QueryResult } from "../../ui/page-states.tsx";
import { InstallPrompt } from "../sources/install-prompt.tsx";
import { SourcePage } from "../sources/source-page.tsx";
import { AttemptDetails } from "./attempt-details.tsx";
import { AttemptList } from "./attempt-list.tsx";
import type { AttemptLogState } from "./attempt-log.ts";
import { FilterBar, filtersOf } from "./filter-bar.tsx";
import { HealthPanel } from "./health-panel.tsx";
import { useAttemptLog } from "./use-attempt-log.ts";

/** Counters are asked for again no sooner than this after attempts came. */
const HEALTH_MS = 2_000;

export const DebugPage = () => (
  <SourcePage title="Every attempt, as it happens" permission="debug:read">
    {(source) => <Debug source={source} />}
  </SourcePage>
);

type Search = Record<string, string | undefined>;

function useFreshHealth(sourceId: string, newest: string | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (newest === undefined) return;
    const readAt = client.getQueryState(["health", sourceId])?.dataUpdatedAt ?? 0;
    const waitMs = Math.max(0, readAt + HEALTH_MS - Date.now());
    const timer = setTimeout(
      () => void client.invalidateQueries({ queryKey: ["health", sourceId], exact: true }),
      waitMs,
    );
    return () => clearTimeout(timer);
  }, [client, sourceId, newest]);
}

function Debug({ source }: { readonly source: Source }) {
  const { sourceId } = source;
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const filters = useMemo(() => filtersOf(search), [search]);
  const [state, log] = useAttemptLog(sourceId, filters);
  const health = useQuery(healthQuery(sourceId));
  useFreshHealth(sourceId, state.attempts[0]?.attemptId);

  const change = useCallback(
    (changes: Search) =>
      void navigate({
        to: "/analytics/setup/debug",
        search: (before: Search) => ({ ...before, ...changes }) as Record<string, string>,
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  const open = useCallback((attempt: string | undefined) => change({ attempt }), [change]);
  const list = useRef<HTMLDivElement>(null);
  const close = () => {
    list.current?.focus();
    open(undefined);
  };
  const loadOlder = useCallback(() => log?.loadOlder(), [log]);
  const opened = state.attempts.find(({ attemptId }) => attemptId === search.attempt);
  const isMissed = search.attempt !== undefined && !opened && !state.isLoading && state.attempts.length > 0;

  return (
    <Stack gap="md">
      <QueryResult query={health} rows={1}>
        {(data) => (
          <HealthPanel health={data.health} onCode={(code) => change({ code, attempt: undefined })} />
        )}
      </QueryResult>
      <FilterBar filters={filters} onChange={(changed) => change({ ...changed, attempt: undefined })} />
      <LiveControls state={state} onPause={() => log?.pause()} onResume={() => log?.resume()} />
      {state.error && <ErrorAlert error={state.error} />}
      {isMissed && (
        <Text size="sm" role="status">
          The attempt of this address is not among these: it is older, passes other filters, or is kept no
          more.
        </Text>
      )}
      {state.attempts.length === 0 ? (
        <NoAttempts state={state} isNarrowed={Object.keys(filters).length > 0} sourceId={sourceId} />
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

function LiveControls({ state: { attempts, held, isPaused, isLive }, onPause, onResume }: LiveControlsProps) {
  const status = isPaused ? "Paused" : isLive ? "Live" : "Connecting …";
  return (
    <Group gap="md">
      <Text size="sm" className="live" data-live={isLive && !isPaused ? "yes" : undefined} role="status">
        {status}
      </Text>
      <Button size="xs" variant="default" onClick={isPaused ? onResume : onPause}>
        {isPaused ? "Resume" : "Pause"}
      </Button>
      <Text size="sm" c="dimmed">
        {pluralize(attempts.length, "attempt")}
        {held > 0 && `, ${pluralize(held, "newer one")} held back`}
      </Text>
    </Group>
  );
}

interface NoAttemptsProps {
  readonly state: AttemptLogState;
  readonly isNarrowed: boolean;
  readonly sourceId: string;
}

function NoAttempts({ state, isNarrowed, sourceId }: NoAttemptsProps) {
  if (state.isLoading) return <Loading />;
  if (state.error) return null;
  if (isNarrowed)
    return <EmptyState title="No such attempt">None of those that are kept passes these filters.</EmptyState>;
  return (
    <InstallPrompt title="Nothing has come yet" sourceId={sourceId}>
      Every request that is made with this source's key shows here within a second, the refused ones too.
    </InstallPrompt>
  );
}
