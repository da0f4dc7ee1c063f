/** Repeated failures of the last 24 hours, grouped by their code, each with what to do. */
import type { Source } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { originToAllow } from "@headwater/contract/origin";
import { UnstyledButton } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api } from "../../api.ts";
import { useInvalidateSource } from "../../queries.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { pluralize } from "../../ui/format-count.ts";
import { Icon } from "../../ui/icon.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { TextWithCode } from "../../ui/text-with-code.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { type AttemptProblem, meaningOf, type OriginRequests } from "./attempt-summary.ts";

/** Further origins are in the list of attempts. */
const MAX_ORIGINS = 4;
/** Further problems are folded. */
const MAX_SHOWN = 3;

interface ProblemListProps {
  readonly source: Source;
  readonly problems: readonly AttemptProblem[];
  readonly onFilter: (filters: { readonly code: string; readonly origin?: string }) => void;
  /** Further entries of the list. */
  readonly children: ReactNode;
}

export const ProblemList = ({ problems, children, ...shared }: ProblemListProps) => {
  const toItem = (problem: AttemptProblem) => (
    <ProblemItem key={problem.code} problem={problem} {...shared} />
  );
  const folded = problems.slice(MAX_SHOWN);
  return (
    <>
      <ul className="problems" aria-label="Most frequent error codes">
        {problems.slice(0, MAX_SHOWN).map(toItem)}
        {children}
      </ul>
      {folded.length > 0 && (
        <details className="more-problems">
          <summary>{pluralize(folded.length, "more problem")}</summary>
          <ul className="problems" aria-label="Further error codes">
            {folded.map(toItem)}
          </ul>
        </details>
      )}
    </>
  );
};

interface ProblemItemProps extends Pick<ProblemListProps, "source" | "onFilter"> {
  readonly problem: AttemptProblem;
}

const ProblemItem = ({ source, problem: { code, amount, hint, origins }, onFilter }: ProblemItemProps) => (
  <li className="problem">
    <Icon name="warning" size={18} />
    <div className="problem-text">
      <UnstyledButton className="problem-name" onClick={() => onFilter({ code })}>
        {meaningOf(code)}
      </UnstyledButton>{" "}
      {amount}
      {origins.length > 0 && <> from {pluralize(origins.length, "origin")}</>}
      {code === "origin_not_allowed" && origins.length > 0 ? (
        <OriginFixes source={source} origins={origins} onOrigin={(origin) => onFilter({ code, origin })} />
      ) : (
        hint !== "" && (
          <p>
            <TextWithCode text={hint} />
          </p>
        )
      )}
    </div>
  </li>
);

interface OriginFixesProps {
  readonly source: Source;
  readonly origins: readonly OriginRequests[];
  readonly onOrigin: (origin: string) => void;
}

/** The refused origins with their requests, each with a button that allows it while it is not. */
function OriginFixes({ source, origins, onOrigin }: OriginFixesProps) {
  const { can } = useWorkspace();
  const invalidate = useInvalidateSource();
  const { sourceId, organizationId, allowedOrigins } = source;
  const allow = useMutation({
    mutationFn: async (origin: string) =>
      api.updateSource({
        params: { sourceId },
        body: { organizationId, allowedOrigins: [...allowedOrigins, origin] },
      }),
    onSuccess: () => invalidate(sourceId),
  });
  const canAllow = can("sources:write") && allowedOrigins.length < LIMITS.maxAllowedOrigins;
  const toAllow = (origin: string) => {
    const allowed = canAllow ? originToAllow(origin) : null;
    return allowed === null || allowedOrigins.includes(allowed) ? null : allowed;
  };
  return (
    <>
      <ul className="problem-origins" aria-label="Refused origins">
        {origins.slice(0, MAX_ORIGINS).map(({ origin, requests }) => {
          const allowed = toAllow(origin);
          return (
            <li key={origin}>
              <UnstyledButton className="problem-name" onClick={() => onOrigin(origin)}>
                {origin}
              </UnstyledButton>
              <span>{pluralize(requests, "request")}</span>
              {allowed !== null && (
                <AsyncButton
                  size="xs"
                  variant="default"
                  className="wrap-button"
                  isPending={allow.isPending}
                  aria-label={`Allow ${allowed}`}
                  onPress={() => allow.mutateAsync(allowed)}
                >
                  {allowed === origin ? "Allow" : `Allow ${allowed}`}
                </AsyncButton>
              )}
            </li>
          );
        })}
      </ul>
      {allow.error && <ErrorAlert error={allow.error} />}
    </>
  );
}
