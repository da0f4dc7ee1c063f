/** The paths view: the pages that visits went through, one column for each step. A page that is selected continues the path. */
import type { StatsFilter } from "@headwater/contract";
import { type ApiAnswer, api } from "../../../api.ts";
import { EmptyState, ErrorAlert, QueryResult } from "../../../ui/page-states.tsx";
import { Button, Group, Paper, Stack, Text, Title } from "../../../ui/primitives/elements.tsx";
import { Switcher } from "../../../ui/switcher.tsx";
import { EstimateMark } from "../estimate-mark.tsx";
import {
  formatPlace,
  isEvent,
  type PathColumnProps,
  PathColumns,
  type PathRow,
  sumOf,
  toPlace,
} from "./path-columns.tsx";
import "./paths.css";
import { useFastThenExact } from "../use-fast-then-exact.ts";
import { type StatsView, useStats } from "../use-stats-view.ts";
import type { ViewParams } from "../view-params.ts";

/** How many pages a path can have here. The API counts a step more: what came after the last page. */
const MAX_PAGES = 6;
/** How many pages are selected at least, so that a path shows what came next. */
const MIN_PAGES = 2;
/** Ways of each step that are asked for: the API's maximum. Further ones are among the other pages. */
const MAX_WAYS = 100;
/** What the steps of a path are. */
const STEPS = [
  { value: "pages", label: "Pages" },
  { value: "events", label: "Pages and events" },
] as const;
const PARAM_NAMES = Array.from({ length: MAX_PAGES }, (_, at) => `path${at + 1}`);

/** The pages of the path, in order. */
function readPath(params: ViewParams): string[] {
  const pages = PARAM_NAMES.map((name) => params[name] ?? "");
  const end = pages.indexOf("");
  return end === -1 ? pages : pages.slice(0, end);
}

const pathParams = (pages: readonly string[]): ViewParams =>
  Object.fromEntries(PARAM_NAMES.map((name, at) => [name, pages[at]]));

/** The place that paths begin at. */
const startOf = (place: string) =>
  isEvent(place) ? { startEvent: formatPlace(place) } : { startPage: place };

type PathWay = ApiAnswer<"queryPaths">["paths"][number];

/** The pages that followed the page of the step, most frequent first. */
const rowsOf = (paths: readonly PathWay[], step: number, from: string | undefined): PathRow[] =>
  paths
    .filter((way) => way.step === step && toPlace(way.from, way.fromEvent) === from)
    .map(({ to, toEvent, sessions }) => ({ page: to === null ? null : toPlace(to, toEvent), sessions }))
    .toSorted((a, b) => b.sessions - a.sessions);

/** The pages, and while they are few, the most frequent one that came next. */
function withNextPages(paths: readonly PathWay[], pages: readonly string[]): readonly string[] {
  if (pages.length === 0 || pages.length >= MIN_PAGES) return pages;
  const next = rowsOf(paths, pages.length, pages.at(-1)).find(({ page }) => page !== null);
  return typeof next?.page === "string" ? [...pages, next.page] : pages;
}

/** The entry pages with their sessions. */
function useEntryPages({ scope }: StatsView) {
  const totals = useStats(scope, { metrics: ["sessions"] });
  const query = useStats(scope, {
    metrics: ["sessions"],
    dimensions: ["entryPage"],
    pagination: { limit: MAX_WAYS },
  });
  const { data, isPlaceholderData } = query;
  // visits without a page view have no entry page
  const rows = data?.results.flatMap(({ dimensions: [page], metrics: [sessions] }): PathRow[] =>
    typeof page === "string" ? [{ page, sessions: sessions ?? 0 }] : [],
  );
  const [total = null] = totals.data?.results[0]?.metrics ?? [];
  return { query, rows, total, isStale: isPlaceholderData || totals.isPlaceholderData };
}

export function PathsView({ view }: { readonly view: StatsView }) {
  const chosen = readPath(view.params);
  const entryPages = useEntryPages(view);
  // until a page is selected, the path starts with the most frequent entry page
  const [{ page: top = null } = {}] = entryPages.rows ?? [];
  const through = chosen.length > 0 || top === null ? chosen : [top];
  const isFromPage = view.params.start === "page" && chosen[0] !== undefined;
  const hasEvents = view.params.with === "events";
  const [first] = through;
  const entry: StatsFilter[] =
    isFromPage || first === undefined || isEvent(first)
      ? []
      : [{ dimension: "entryPage", operator: "is", value: first }];
  const body = {
    ...view.scope,
    filters: [...view.scope.filters, ...entry],
    steps: Math.min(Math.max(through.length, MIN_PAGES), MAX_PAGES - 1),
    through: through.map((place) => (isEvent(place) ? { event: formatPlace(place) } : place)),
    limit: MAX_WAYS,
    ...(isFromPage && first !== undefined && startOf(first)),
    include: { ...view.scope.include, events: hasEvents },
  };
  const query = useFastThenExact({
    queryKey: ["stats", "paths", body],
    ask: (accuracy, signal) => api.queryPaths({ body: { ...body, accuracy }, signal }),
    enabled: chosen.length > 0 || (entryPages.rows !== undefined && !entryPages.isStale),
  });
  const { error, refetch } = entryPages.query;
  if (error && !entryPages.rows && !isFromPage)
    return <ErrorAlert error={error} onRetry={() => void refetch()} withIssues />;
  return (
    <Stack gap="md" className="stats">
      <Group>
        <Switcher
          label="Steps"
          options={STEPS}
          value={hasEvents ? "events" : "pages"}
          // a path with events is none without them
          onChange={(value) =>
            view.update({
              with: value === "events" ? value : undefined,
              ...(value === "pages" && chosen.some(isEvent) && { ...pathParams([]), start: undefined }),
            })
          }
        />
      </Group>
      <QueryResult query={query}>
        {({ paths, accuracy }) => {
          const pages = query.isPlaceholderData ? through : withNextPages(paths, through);
          if (paths.length === 0)
            return (
              <EmptyState
                title={
                  chosen.length > 0
                    ? "No visitor took this path in this range"
                    : "No page views in this range"
                }
                action={chosen.length > 0 && <StartOver view={view} />}
              >
                {chosen.length > 0
                  ? "Choose a longer range, or start over."
                  : view.scope.filters.length > 0
                    ? "Choose a longer range, or remove a filter."
                    : "Choose a longer range."}
              </EmptyState>
            );
          return (
            <Paper p="md" component="section" aria-label="Paths">
              <PathsHead
                view={view}
                pages={pages}
                selected={through.at(-1) ?? null}
                isChosen={chosen.length > 0}
                isFromPage={isFromPage}
                accuracy={accuracy}
              />
              <PathColumns
                columns={columnsOf({
                  paths,
                  pages,
                  isFromPage,
                  entryPages,
                  isStale: query.isPlaceholderData,
                })}
                onSelect={(at, page) => view.update(pathParams([...pages.slice(0, at), page]))}
              />
              <Text size="sm" c="dimmed" mt="sm">
                Each step lists only its most frequent rows.
              </Text>
            </Paper>
          );
        }}
      </QueryResult>
    </Stack>
  );
}

interface PathAnswer {
  readonly paths: readonly PathWay[];
  readonly pages: readonly string[];
  readonly isFromPage: boolean;
  readonly entryPages: ReturnType<typeof useEntryPages>;
  readonly isStale: boolean;
}

type ColumnData = Omit<PathColumnProps, "selected">;

/** Rows of the previous path have none for the page that is new: it is loading. */
const whileStale = (isStale: boolean, rows: readonly PathRow[]) =>
  isStale && sumOf(rows) === 0 ? undefined : rows;

/** The first column has the entry pages, or the page that the paths start from; each further one has what came next. */
function columnsOf({ paths, pages, isFromPage, entryPages, isStale }: PathAnswer): PathColumnProps[] {
  const [first] = pages;
  const start: ColumnData = isFromPage
    ? {
        title: first !== undefined && isEvent(first) ? "Event" : "Page",
        total: null,
        rows: whileStale(isStale, [{ page: first ?? null, sessions: sumOf(rowsOf(paths, 1, first)) }]),
        isStale,
      }
    : { title: "Entry page", ...entryPages };
  const columns: ColumnData[] = [start];
  for (const [at, page] of pages.slice(0, MAX_PAGES - 1).entries())
    columns.push({
      title: `Step ${at + 2}`,
      // the API counts only the most frequent ways: the others are the rest of the page's sessions
      total: (isStale ? null : columns[at]?.rows?.find((row) => row.page === page)?.sessions) ?? null,
      rows: whileStale(isStale, rowsOf(paths, at + 1, page)),
      isStale,
    });
  // the page that follows is not known before the answer
  if (isStale && pages.length > 0 && pages.length < MIN_PAGES)
    columns.push({ title: `Step ${pages.length + 2}`, total: null, rows: undefined, isStale });
  return columns.map((column, at) => ({ ...column, selected: pages[at] }));
}

interface PathsHeadProps {
  readonly view: StatsView;
  readonly pages: readonly string[];
  /** The last one that was selected; null: there is none. */
  readonly selected: string | null;
  /** The pages were selected. */
  readonly isChosen: boolean;
  readonly isFromPage: boolean;
  readonly accuracy: ApiAnswer<"queryPaths">["accuracy"];
}

const StartOver = ({ view }: Pick<PathsHeadProps, "view">) => (
  <Button size="xs" variant="default" onClick={() => view.update({ ...pathParams([]), start: undefined })}>
    Start over
  </Button>
);

const PathsHead = ({ view, pages, selected, isChosen, isFromPage, accuracy }: PathsHeadProps) => (
  <Group justify="space-between" gap="xs" mb="sm">
    <div>
      <Title order={2} size="h5" className="wrap">
        {isFromPage ? `Paths from ${formatPlace(pages[0] ?? "")}` : "Paths from the entry page"}
        <EstimateMark accuracy={accuracy} />
      </Title>
      {pages.length < MAX_PAGES && (
        <Text size="sm" c="dimmed">
          Select a row to see what visitors did next.
        </Text>
      )}
    </div>
    {selected !== null && (
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          className="wrap-button"
          onClick={() => view.update({ ...pathParams([selected]), start: "page" })}
        >
          <span className="clamp">
            Begin at <bdi>{formatPlace(selected)}</bdi>
          </span>
        </Button>
        {isChosen && <StartOver view={view} />}
      </Group>
    )}
  </Group>
);
