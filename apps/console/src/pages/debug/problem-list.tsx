/** Repeated failures of the last 24 hours, grouped by their code, each with what to do. */
import type { Source } from "@headwater/contract";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useInvalidateSource } from "../../queries.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { pluralize } from "../../ui/format-count.ts";
import { Icon } from "../../ui/icon.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { TextWithCode } from "../../ui/text-with-code.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { meaningOf, type OriginRequests } from "./attempt-summary.ts";
import type { ShownProblem } from "./mended-problems.ts";
import { makeFix, remedyForOrigin } from "./quick-fix.ts";

/** Further origins are in the list of attempts. */
const MAX_ORIGINS = 4;
/** Further problems are folded. */
const MAX_SHOWN = 3;

interface ProblemListProps {
  readonly source: Source;
  readonly problems: readonly ShownProblem[];
  /** Those of which requests were accepted since. */
  readonly mended: readonly ShownProblem[];
  readonly onFilter: (filters: { readonly code: string; readonly origin?: string }) => void;
  /** Further entries of the list. */
  readonly children: ReactNode;
}

export const ProblemList = ({ problems, mended, children, ...shared }: ProblemListProps) => {
  const toItem = (problem: ShownProblem) => <ProblemItem key={problem.code} problem={problem} {...shared} />;
  const fold = (folded: readonly ShownProblem[], noun: string, label: string) =>
    folded.length > 0 && (
      <details className="more-problems">
        <summary>{pluralize(folded.length, noun)}</summary>
        <ul className="problems" aria-label={label}>
          {folded.map(toItem)}
        </ul>
      </details>
    );
  return (
    <div className="problem-lists">
      {(problems.length > 0 || children) && (
        <ul className="problems" aria-label="Most frequent error codes">
          {problems.slice(0, MAX_SHOWN).map(toItem)}
          {children}
        </ul>
      )}
      {fold(problems.slice(MAX_SHOWN), "more problem", "More error codes")}
      {fold(mended, "fixed problem", "Fixed problems")}
    </div>
  );
};

interface ProblemItemProps extends Pick<ProblemListProps, "source" | "onFilter"> {
  readonly problem: ShownProblem;
}

const ProblemItem = ({ source, problem, onFilter }: ProblemItemProps) => {
  const { code, count, unit, hint, origins, done } = problem;
  const hasOrigins = code === "origin_not_allowed" && origins.length > 0;
  return (
    <li className="problem" data-mended={done === null ? undefined : "yes"}>
      <Icon name={done === null ? "warning" : "check"} size={18} />
      <div className="problem-text">
        <button type="button" className="problem-name" onClick={() => onFilter({ code })}>
          {meaningOf(code)}
        </button>{" "}
        {pluralize(count, unit)}
        {origins.length > 0 && <> from {pluralize(origins.length, "origin")}</>}
        {hasOrigins && (
          <OriginFixes source={source} origins={origins} onOrigin={(origin) => onFilter({ code, origin })} />
        )}
        {!hasOrigins && done !== null && <p role="status">{done}</p>}
        {!hasOrigins && done === null && hint !== "" && (
          <p>
            <TextWithCode text={hint} />
          </p>
        )}
      </div>
    </li>
  );
};

interface OriginFixesProps {
  readonly source: Source;
  readonly origins: readonly OriginRequests[];
  readonly onOrigin: (origin: string) => void;
}

/** The refused origins with their requests, each with a button that allows it, or that it is allowed now. */
function OriginFixes({ source, origins, onOrigin }: OriginFixesProps) {
  const { can } = useWorkspace();
  const invalidate = useInvalidateSource();
  const allow = useMutation({
    mutationFn: async (origin: string) => {
      const { fix } = remedyForOrigin(source, origin);
      if (fix) await makeFix(source, fix);
    },
    onSuccess: () => invalidate(source.sourceId),
  });
  return (
    <>
      <ul className="problem-origins" aria-label="Refused origins">
        {origins.slice(0, MAX_ORIGINS).map(({ origin, requests }) => {
          const { fix, done } = remedyForOrigin(source, origin);
          return (
            <li key={origin}>
              <button type="button" className="problem-name" onClick={() => onOrigin(origin)}>
                {origin}
              </button>
              <span>{pluralize(requests, "request")}</span>
              <span role="status" className="problem-done">
                {done}
              </span>
              {fix?.permissions.every(can) && (
                <AsyncButton
                  size="xs"
                  variant="default"
                  className="wrap-button"
                  isPending={allow.isPending}
                  aria-label={fix.label}
                  onPress={() => allow.mutateAsync(origin)}
                >
                  {fix.label === `Allow ${origin}` ? "Allow" : fix.label}
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
