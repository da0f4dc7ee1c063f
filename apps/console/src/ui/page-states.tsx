/** The states that every page can be in besides its normal one: loading, empty and failed. */
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import type { ApiFailure } from "../api.ts";
import { Alert, Button, Group, Skeleton, Stack, Text, Title } from "./primitives/elements.tsx";
import { TextWithCode } from "./text-with-code.tsx";

export const Loading = ({ rows = 4 }: { readonly rows?: number | undefined }) => (
  <Stack gap="sm" role="status" aria-label="Loading" className="loading">
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the skeletons are interchangeable
      <Skeleton key={row} height={44} />
    ))}
  </Stack>
);

type Explained = Pick<ApiFailure, "hint" | "requestId" | "issues"> & { code: string };
interface ErrorAlertProps {
  readonly error: Error & Partial<Explained>;
  readonly onRetry?: (() => void) | undefined;
  /** Lists the issues of single fields here. Use it where no form shows them beside its fields. */
  readonly withIssues?: boolean;
}

interface Outage {
  readonly retry: () => void;
  readonly show: (isFirst: boolean) => void;
}
/** The parts of the page that the service did not answer. */
const outages: Outage[] = [];
function showFirst(): void {
  for (const [index, outage] of outages.entries()) outage.show(index === 0);
}

function retryAll(): void {
  for (const outage of [...outages]) outage.retry();
}

/**
 * When the service does not answer, every part of a page fails in the same way: the first says so, and its button repeats the
 * requests of all.
 * @returns whether this one is shown
 */
function useFirstOutage(isOutage: boolean, onRetry: (() => void) | undefined): boolean {
  const [isFirst, setFirst] = useState(true);
  const latest = useRef(onRetry);
  useLayoutEffect(() => {
    latest.current = onRetry;
  });
  useLayoutEffect(() => {
    if (!isOutage) return;
    const outage = { retry: () => latest.current?.(), show: setFirst };
    outages.push(outage);
    showFirst();
    return () => {
      outages.splice(outages.indexOf(outage), 1);
      showFirst();
    };
  }, [isOutage]);
  return isFirst || !isOutage;
}

/** The message, hint and code of an error response. */
export function ErrorAlert({ error, onRetry, withIssues = false }: ErrorAlertProps) {
  const { code = null, hint = "", requestId = null, issues = [] } = error;
  // a form says that its own request failed
  const isOutage = code === "unreachable" && onRetry !== undefined;
  const isShown = useFirstOutage(isOutage, onRetry);
  if (!isShown) return null;
  const retry = isOutage ? retryAll : onRetry;
  const isAtFields = !withIssues && issues.length > 0;
  return (
    <Alert
      color="red"
      title={isAtFields ? "Some fields need attention" : error.message}
      role="alert"
      className="failure"
    >
      {(isAtFields || (hint !== "" && issues.length === 0)) && (
        <Text size="sm">
          {isAtFields ? "Fix the highlighted fields and try again." : <TextWithCode text={hint} />}
        </Text>
      )}
      {withIssues && issues.length > 0 && (
        <ul className="wrap">
          {issues.map(({ path, message }) => (
            <li key={`${path.join(".")} ${message}`}>
              <code>{path.join(".")}</code>: {message}
            </li>
          ))}
        </ul>
      )}
      <Group mt="xs" gap="md">
        {retry && issues.length === 0 && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
        {code !== null && (
          <Text size="sm" c="dimmed" className="wrap">
            {code}
            {requestId !== null && ` · ${requestId}`}
          </Text>
        )}
      </Group>
    </Alert>
  );
}

interface EmptyStateProps {
  readonly title: string;
  /** Whether the page has no other heading. */
  readonly isPage?: boolean;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export const EmptyState = ({ title, isPage = false, children, action }: EmptyStateProps) => (
  <Stack className="empty" align="center" gap="xs">
    <Title order={isPage ? 1 : 2} size="h4">
      {title}
    </Title>
    {children && (
      <Text className="centered" c="dimmed" maw={520}>
        {children}
      </Text>
    )}
    {action}
  </Stack>
);

interface QueryResultProps<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
  readonly rows?: number;
}

/** Renders a query's data, or its loading or error state while there is none. */
export function QueryResult<T>({ query, children, rows = 4 }: QueryResultProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorAlert error={query.error} onRetry={() => void query.refetch()} withIssues />;
  return <Loading rows={rows} />;
}
