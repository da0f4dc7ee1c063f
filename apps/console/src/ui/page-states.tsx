/** The four states that every page has beside its own: loading, empty, failed, not permitted. */
import type { Permission } from "@headwater/contract";
import { Alert, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError } from "../api.ts";
import { useWorkspace } from "../workspace-context.tsx";
import { TextWithCode } from "./text-with-code.tsx";

export const Loading = ({ rows = 4 }: { readonly rows?: number }) => (
  <Stack gap="sm" role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
      <Skeleton key={row} height={44} radius="md" />
    ))}
  </Stack>
);

interface ErrorAlertProps {
  readonly error: Error;
  readonly onRetry?: (() => void) | undefined;
  /** Where there is no form with a place for each of them. */
  readonly withIssues?: boolean;
}

/** What went wrong in the service's own words, and what to do about it. */
export function ErrorAlert({ error, onRetry, withIssues = false }: ErrorAlertProps) {
  const { code = null, hint = "", requestId = null, issues = [] } = error instanceof ApiError ? error : {};
  const isAtFields = !withIssues && issues.length > 0;
  return (
    <Alert
      color="red"
      title={isAtFields ? "This cannot be saved yet." : error.message}
      role="alert"
      className="failure"
    >
      {(isAtFields || hint !== "") && (
        <Text size="sm">
          {isAtFields ? "What is wrong stands at its field." : <TextWithCode text={hint} />}
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
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
        {code !== null && (
          <Text size="xs" c="dimmed">
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
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export const EmptyState = ({ title, children, action }: EmptyStateProps) => (
  <Stack className="empty" align="center" gap="xs">
    <Title order={2} size="h4">
      {title}
    </Title>
    {children && (
      <Text c="dimmed" ta="center" maw={520}>
        {children}
      </Text>
    )}
    {action}
  </Stack>
);

/** Shows what is inside to those who may see it, and to the others whom to ask. */
export function RequirePermission({
  to,
  children,
}: {
  readonly to: Permission;
  readonly children: ReactNode;
}) {
  const { can, role } = useWorkspace();
  if (can(to)) return children;
  return (
    <EmptyState title="Your role does not show this">
      You are a {role} of this workspace; this page needs the permission {to}. An admin of the workspace can
      give you a role that has it.
    </EmptyState>
  );
}

interface QueryResultProps<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
  readonly rows?: number;
}

/** A query's data once it is there; until then, or instead, why it is not. */
export function QueryResult<T>({ query, children, rows = 4 }: QueryResultProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorAlert error={query.error} onRetry={() => void query.refetch()} withIssues />;
  return <Loading rows={rows} />;
}
