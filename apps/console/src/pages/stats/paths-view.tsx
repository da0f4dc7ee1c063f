/** The paths view: the pages that visits went through, one column for each step. A page that is selected continues the path. */
import type { StatsFilter } from "@headwater/contract";
import { Button, Group, Paper, Stack, Text, Title, UnstyledButton } from "@mantine/core";
import { type ApiAnswer, api } from "../../api.ts";
import { formatCount } from "../../ui/format-count.ts";
import { EmptyState, Loading, QueryResult } from "../../ui/page-states.tsx";
import { EstimateMark } from "./estimate-mark.tsx";
import { useFastThenExact } from "./use-fast-then-exact.ts";
import { type StatsView, useStats } from "./use-stats-view.ts";
import type { ViewParams } from "./view-params.ts";

/** How many pages a path can have here. The API counts a step more: what came after the last page. */
const MAX_PAGES = 6;
const PARAM_NAMES = Array.from({ length: MAX_PAGES }, (_, at) => `path${at + 1}`);
const MAX_ROWS = 12;
/** Ways of each step that are asked for: the API's maximum, so that the rows of a column are as complete as they can be. */
const MAX_WAYS = 100;

/** The pages of the path, in order. */
function readPath(params: ViewParams): string[] {
  const pages = PARAM_NAMES.map((name) => params[name] ?? "");
  const end = pages.indexOf("");
  return end === -1 ? pages : pages.slice(0, end);
}

const pathParams = (pages: readonly string[]): ViewParams =>
  Object.fromEntries(PARAM_NAMES.map((name, at) => [name, pages[at]]));

type Way = ApiAnswer<"queryPaths">["paths"][number];

interface PathRow {
  /** null: the visits ended. */
  readonly page: string | null;
  readonly sessions: number;
}

const sumOf = (rows: readonly PathRow[]) => rows.reduce((sum, { sessions }) => sum + sessions, 0);

/** The pages that followed the page of the step, most frequent first. */
const rowsOf = (paths: readonly Way[], step: number, from: string | undefined): PathRow[] =>
  paths
    .filter((way) => way.step === step && way.from === from)
    .map(({ to, sessions }) => ({ page: to, sessions }))
    .toSorted((one, other) => other.sessions - one.sessions);

/** The entry pages with their sessions. */
function useEntryPages({ scope }: StatsView) {
  const totals = useStats(scope, { metrics: ["sessions"] });
  const { data, isPlaceholderData } = useStats(scope, {
    metrics: ["sessions"],
    dimensions: ["entryPage"],
    pagination: { limit: MAX_ROWS },
  });
  const rows: readonly PathRow[] | undefined = data?.results.map(
    ({ dimensions: [page], metrics: [sessions] }) => ({
      page: String(page),
      sessions: sessions ?? 0,
    }),
  );
  const [total = null] = totals.data?.results[0]?.metrics ?? [];
  return { rows, total, isStale: isPlaceholderData || totals.isPlaceholderData };
}

export function PathsView({ view }: { readonly view: StatsView }) {
  const pages = readPath(view.params);
  const isFromPage = view.params.start === "page" && pages[0] !== undefined;
  const entry: StatsFilter[] =
    isFromPage || pages[0] === undefined ? [] : [{ dimension: "entryPage", operator: "is", value: pages[0] }];
  const body = {
    ...view.scope,
    filters: [...view.scope.filters, ...entry],
    steps: Math.min(pages.length + 1, MAX_PAGES),
    limit: MAX_WAYS,
    ...(isFromPage ? { startPage: pages[0] } : {}),
  };
  const entryPages = useEntryPages(view);
  const query = useFastThenExact({
    queryKey: ["stats", "paths", body],
    ask: (accuracy, signal) => api.queryPaths({ body: { ...body, accuracy }, signal }),
  });
  /** Of a path from a page: that page. */
  const startRows = (paths: readonly Way[]): readonly PathRow[] | undefined => {
    if (!isFromPage) return entryPages.rows;
    return [{ page: pages[0] ?? null, sessions: sumOf(rowsOf(paths, 1, pages[0])) }];
  };
  const columns = pages.length < MAX_PAGES ? pages.length + 1 : MAX_PAGES;
  return (
    <Stack gap="md" className="stats">
      <QueryResult query={query}>
        {({ paths, accuracy }) =>
          paths.length === 0 ? (
            <EmptyState title="No page views in this period">
              Choose a longer range, or remove a filter.
            </EmptyState>
          ) : (
            <Paper withBorder p="md" radius="lg" component="section" aria-label="Paths">
              <PathsHead view={view} pages={pages} isFromPage={isFromPage} accuracy={accuracy} />
              <div className="paths">
                {Array.from({ length: columns }, (_, at) => (
                  <PathColumn
                    // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other identity than their position
                    key={at}
                    title={at === 0 ? "Start" : `Step ${at + 1}`}
                    total={at === 0 && !isFromPage ? entryPages.total : null}
                    rows={at === 0 ? startRows(paths) : rowsOf(paths, at, pages[at - 1])}
                    selected={pages[at]}
                    isStale={at === 0 && !isFromPage ? entryPages.isStale : query.isPlaceholderData}
                    onSelect={(page) => view.update(pathParams([...pages.slice(0, at), page]))}
                  />
                ))}
                {columns < MAX_PAGES && (
                  <div className="path-next">Select a page to see where visitors went next</div>
                )}
              </div>
              <Text size="sm" c="dimmed" mt="sm">
                Number of sessions. Only the most frequent pages are listed.
              </Text>
            </Paper>
          )
        }
      </QueryResult>
    </Stack>
  );
}

interface PathsHeadProps {
  readonly view: StatsView;
  readonly pages: readonly string[];
  readonly isFromPage: boolean;
  readonly accuracy: ApiAnswer<"queryPaths">["accuracy"];
}

const PathsHead = ({ view, pages, isFromPage, accuracy }: PathsHeadProps) => (
  <Group justify="space-between" gap="xs" mb="sm">
    <Title order={2} size="h5" className="wrap">
      {isFromPage ? `Paths from ${pages[0]}` : "Paths from the entry page"}
      <EstimateMark accuracy={accuracy} />
    </Title>
    {pages.length > 0 && (
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          onClick={() => view.update({ ...pathParams(pages.slice(-1)), start: "page" })}
        >
          Start at the selected page
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => view.update({ ...pathParams([]), start: undefined })}
        >
          Start over
        </Button>
      </Group>
    )}
  </Group>
);

interface PathColumnProps {
  readonly title: string;
  /** Undefined while they are loading. */
  readonly rows: readonly PathRow[] | undefined;
  /** Of all sessions, including those of other pages; null: those of the rows. */
  readonly total: number | null;
  readonly selected: string | undefined;
  /** Whether the rows are those of the previous filters or path. */
  readonly isStale: boolean;
  readonly onSelect: (page: string) => void;
}

function PathColumn({ title, rows, total, selected, isStale, onSelect }: PathColumnProps) {
  const listed = rows?.slice(0, MAX_ROWS);
  const rest = rows && listed ? (total ?? sumOf(rows)) - sumOf(listed) : 0;
  const highest = Math.max(...(listed ?? []).map(({ sessions }) => sessions), 1);
  return (
    <section className="path-column" aria-label={title} aria-busy={isStale}>
      <div className="path-title">{title}</div>
      {listed === undefined && <Loading rows={6} />}
      <ul>
        {listed?.map(({ page, sessions }) => (
          <li key={page ?? ""}>
            <span className="ranking-bar" style={{ width: `${(sessions / highest) * 100}%` }} />
            {page === null ? (
              <span className="path-end">Left the site</span>
            ) : (
              <UnstyledButton aria-pressed={page === selected} title={page} onClick={() => onSelect(page)}>
                {page}
              </UnstyledButton>
            )}
            <span className="path-count">{formatCount(sessions)}</span>
          </li>
        ))}
        {rest > 0 && (
          <li className="path-end">
            <span>Other pages</span>
            <span className="path-count">{formatCount(rest)}</span>
          </li>
        )}
      </ul>
    </section>
  );
}
