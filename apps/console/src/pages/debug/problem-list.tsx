/** Repeated failures of the last 24 hours, grouped by their code, each on a line with what to do. */
import type { Source } from "@headwater/contract";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useInvalidateSource } from "../../queries.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { pluralize } from "../../ui/format-count.ts";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { TextWithCode } from "../../ui/text-with-code.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { meaningOf } from "./attempt-summary.ts";
import type { ShownProblem } from "./mended-problems.ts";
import { ProblemLine } from "./problem-line.tsx";
import { makeFix, remedyForOrigin } from "./quick-fix.ts";

/** Further origins are in the list of attempts. */
const MAX_ORIGINS = 4;
const ORIGIN_CAUSE =
  "This source accepts requests only from its allowed origins. Allow an origin only if it is yours.";
/** Further problems are folded. */
const MAX_SHOWN = 4;

export interface ProblemListProps {
  readonly source: Source;
  readonly problems: readonly ShownProblem[];
  /** Those of which requests were accepted since. */
  readonly mended: readonly ShownProblem[];
  /** The code that the list of requests is filtered by. */
  readonly chosenCode: string | undefined;
  readonly onFilter: (filters: { readonly code: string; readonly origin?: string }) => void;
  /** Receives the code of the problem after one of its origins was allowed. */
  readonly onAllow: (code: string) => void;
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
      <ul className="problems" aria-label="Problems">
        {problems.slice(0, MAX_SHOWN).map(toItem)}
        {children}
      </ul>
      {fold(problems.slice(MAX_SHOWN), "more problem", "More problems")}
      {fold(mended, "fixed problem", "Fixed problems")}
    </div>
  );
};

interface ProblemItemProps extends Pick<ProblemListProps, "source" | "chosenCode" | "onFilter" | "onAllow"> {
  readonly problem: ShownProblem;
}

const ProblemItem = ({ source, problem, chosenCode, onFilter, onAllow }: ProblemItemProps) => {
  const { code, count, unit, hint, origins, done } = problem;
  const name = meaningOf(code);
  const mending = useAllowOrigin(source, () => onAllow(code));
  const isAboutOrigins = code === "origin_not_allowed" && origins.length > 0;
  const [only] = origins.length === 1 ? origins : [];
  // the line names the only one
  const listed = only && isAboutOrigins ? [] : origins.slice(0, MAX_ORIGINS);
  const cause = done !== null ? "" : isAboutOrigins ? ORIGIN_CAUSE : hint;
  const filterBy = (origin: string) => onFilter({ code, origin });
  return (
    <ProblemLine
      name={name}
      tone={done === null ? "problem" : "mended"}
      isChosen={code === chosenCode}
      text={
        <>
          <button type="button" className="problem-name" onClick={() => onFilter({ code })}>
            {name}
          </button>{" "}
          {pluralize(count, unit)}
          {only && isAboutOrigins && (
            <>
              {" "}
              from <OriginButton origin={only.origin} onOrigin={filterBy} />
            </>
          )}
          {origins.length > 0 && !(only && isAboutOrigins) && (
            <> from {pluralize(origins.length, "origin")}</>
          )}
          {!isAboutOrigins && done !== null && (
            <span role="status" className="problem-done">
              {" "}
              {done}
            </span>
          )}
          {mending.error && <ErrorAlert error={mending.error} />}
        </>
      }
      action={only && isAboutOrigins ? <AllowOrigin {...{ source, mending }} origin={only.origin} /> : null}
    >
      {(cause !== "" || listed.length > 0) && (
        <>
          {cause !== "" && (
            <p>
              <TextWithCode text={cause} />
            </p>
          )}
          {listed.length > 0 && (
            <ul className="problem-origins" aria-label={isAboutOrigins ? "Refused origins" : "Origins"}>
              {listed.map(({ origin, requests }) => (
                <li key={origin}>
                  <span>
                    <OriginButton origin={origin} onOrigin={filterBy} /> {pluralize(requests, "request")}
                  </span>
                  {isAboutOrigins && <AllowOrigin {...{ source, mending, origin }} />}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </ProblemLine>
  );
};

interface OriginButtonProps {
  readonly origin: string;
  readonly onOrigin: (origin: string) => void;
}

const OriginButton = ({ origin, onOrigin }: OriginButtonProps) => (
  <button type="button" className="problem-name" onClick={() => onOrigin(origin)}>
    {origin}
  </button>
);

/** Allows one origin at a time: each change contains the whole list of the source. */
function useAllowOrigin(source: Source, onAllow: () => void) {
  const invalidate = useInvalidateSource();
  return useMutation({
    mutationFn: async (origin: string) => {
      const { fix } = remedyForOrigin(source, origin);
      if (fix) await makeFix(source, fix);
    },
    onSuccess: async () => {
      await invalidate(source.sourceId);
      onAllow();
    },
  });
}

interface AllowOriginProps {
  readonly source: Source;
  readonly origin: string;
  readonly mending: ReturnType<typeof useAllowOrigin>;
}

/** The button that allows an origin, or that it is allowed now. */
function AllowOrigin({ source, origin, mending }: AllowOriginProps) {
  const { can } = useWorkspace();
  const { fix, done } = remedyForOrigin(source, origin);
  return (
    <span className="problem-end">
      <span role="status" className="problem-done">
        {done}
      </span>
      {fix?.permissions.every(can) && (
        <AsyncButton
          size="xs"
          variant="default"
          className="wrap-button"
          isPending={mending.isPending}
          aria-label={fix.label}
          onPress={() => mending.mutateAsync(origin)}
        >
          {fix.label === `Allow ${origin}` ? "Allow" : fix.label}
        </AsyncButton>
      )}
    </span>
  );
}
