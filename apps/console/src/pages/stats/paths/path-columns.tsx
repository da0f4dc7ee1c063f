/** The columns of the paths view: the pages and events of each step with their sessions. */
import { Fragment, type ReactNode, useState } from "react";
import { formatCount } from "../../../ui/format-count.ts";
import { Icon } from "../../../ui/icon.tsx";
import { Loading } from "../../../ui/page-states.tsx";
import { useMediaQuery } from "../../../ui/use-media-query.ts";
import { formatRate } from "../format.ts";
import { formatPath } from "../lists/value-names.ts";

/** Further rows are shown on request, as many at a time. */
const PAGE_ROWS = 12;

/** A page or an event of a path, as it is in the URL: an event is `event:signup`. */
export type PathPlaceText = string;
const EVENT = "event:";
export const isEvent = (place: PathPlaceText): boolean => place.startsWith(EVENT);
export const toPlace = (name: string, isOfEvent = false): PathPlaceText =>
  isOfEvent ? `${EVENT}${name}` : name;
export const formatPlace = (place: PathPlaceText): string =>
  isEvent(place) ? place.slice(EVENT.length) : formatPath(place);

export interface PathRow {
  /** null: the visits ended. */
  readonly page: PathPlaceText | null;
  readonly sessions: number;
}

export const sumOf = (rows: readonly PathRow[]) => rows.reduce((sum, { sessions }) => sum + sessions, 0);

export interface PathColumnProps {
  readonly title: string;
  /** Undefined while they are loading. */
  readonly rows: readonly PathRow[] | undefined;
  /** The number of all sessions, including those of pages without a row; null: the sum of the rows. */
  readonly total: number | null;
  readonly selected: string | undefined;
  /** Whether the rows are those of the previous filters or path. */
  readonly isStale: boolean;
}

/** Columns stand beside each other where two have room. */
const WIDE = "(min-width: 46em)";

interface PathColumnsProps {
  readonly columns: readonly PathColumnProps[];
  readonly onSelect: (at: number, page: string) => void;
}

/** Beside each other, or on a phone each below the row that it follows. */
export function PathColumns({ columns, onSelect }: PathColumnsProps) {
  const isWide = useMediaQuery(WIDE);
  const columnAt = (at: number): ReactNode => {
    const column = columns[at];
    return (
      column && (
        <PathColumn key={column.title} {...column} onSelect={(page) => onSelect(at, page)}>
          {!isWide && columnAt(at + 1)}
        </PathColumn>
      )
    );
  };
  return <div className="paths">{isWide ? columns.map((_, at) => columnAt(at)) : columnAt(0)}</div>;
}

interface SelectableColumnProps extends PathColumnProps {
  readonly onSelect: (page: string) => void;
  /** Shown directly below the selected row. */
  readonly children: ReactNode;
}

function PathColumn({ title, rows, total, selected, isStale, onSelect, children }: SelectableColumnProps) {
  const [shown, setShown] = useState(PAGE_ROWS);
  const listed = rows?.slice(0, shown);
  const further = Math.min((rows?.length ?? 0) - shown, PAGE_ROWS);
  const all = total ?? sumOf(rows ?? []);
  const rest = rows && listed ? all - sumOf(listed) : 0;
  const figures = (sessions: number) => <PathFigures sessions={sessions} all={all} />;
  const highest = Math.max(...(listed ?? []).map(({ sessions }) => sessions), 1);
  const isListed = listed?.some(({ page }) => page === selected) ?? false;
  return (
    <section className="path-column" aria-label={title} aria-busy={isStale}>
      <div className="path-title">
        <span>{title}</span>
        <span title="Sessions, and their share of this column’s total">Sessions</span>
      </div>
      {listed === undefined && <Loading rows={6} />}
      <ul>
        {listed?.map(({ page, sessions }) => (
          <Fragment key={page ?? ""}>
            <li>
              <span className="ranking-bar" style={{ width: `${(sessions / highest) * 100}%` }} />
              {page === null ? (
                <span className="path-end">Left the site</span>
              ) : (
                <button
                  type="button"
                  aria-pressed={page === selected}
                  title={formatPlace(page)}
                  onClick={() => onSelect(page)}
                >
                  {isEvent(page) && <Icon name="pointer" size={14} />}
                  <bdi>{formatPlace(page)}</bdi>
                </button>
              )}
              {figures(sessions)}
            </li>
            {children && page !== null && page === selected && <li className="path-next">{children}</li>}
          </Fragment>
        ))}
        {rest > 0 && (
          <li className="path-end">
            <span>All others</span>
            {figures(rest)}
          </li>
        )}
        {further > 0 && (
          <li className="path-end">
            <button type="button" onClick={() => setShown(shown + PAGE_ROWS)}>
              Show {further} more
            </button>
          </li>
        )}
      </ul>
      {!isListed && children}
    </section>
  );
}

interface PathFiguresProps {
  readonly sessions: number;
  /** The sessions of the column. */
  readonly all: number;
}

/** The share is of the sessions that reached the page before, or of all in the first column. */
const PathFigures = ({ sessions, all }: PathFiguresProps) => (
  <span className="path-count">
    {formatCount(sessions)}{" "}
    {all > 0 && <span className="path-share">{formatRate(Math.min(sessions / all, 1))}</span>}
  </span>
);
