/** Repeated failures of the last 24 hours, grouped by their code, each with what to do. */
import type { Source } from "@headwater/contract";
import { isEventCode } from "@headwater/contract/event-codes";
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
import { type AttemptProblem, meaningOf } from "./attempt-summary.ts";

/** Further origins are in the list of attempts. */
const MAX_ORIGINS = 4;

interface ProblemListProps {
  readonly source: Source;
  readonly problems: readonly AttemptProblem[];
  readonly onCode: (code: string) => void;
  /** Further entries of the list. */
  readonly children: ReactNode;
}

export const ProblemList = ({ source, problems, onCode, children }: ProblemListProps) => (
  <ul className="problems" aria-label="Most frequent error codes">
    {problems.map(({ code, count, hint, origins }) => (
      <li key={code} className="problem">
        <Icon name="warning" size={18} />
        <div className="problem-text">
          <UnstyledButton className="problem-name" onClick={() => onCode(code)}>
            {meaningOf(code)}
          </UnstyledButton>{" "}
          {pluralize(count, isEventCode(code) ? "event" : "request")}
          {origins.length > 0 && <> from {pluralize(origins.length, "origin")}</>}
          {code === "origin_not_allowed" && origins.length > 0 ? (
            <OriginFixes source={source} origins={origins} />
          ) : (
            <p>
              <TextWithCode text={hint} />
            </p>
          )}
        </div>
      </li>
    ))}
    {children}
  </ul>
);

interface OriginFixesProps {
  readonly source: Source;
  readonly origins: readonly string[];
}

/** The origins that are still refused, each with a button that allows it. */
function OriginFixes({ source, origins }: OriginFixesProps) {
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
  const refused = origins.filter((origin) => {
    const allowed = originToAllow(origin);
    return allowed !== null && !allowedOrigins.includes(allowed);
  });
  if (!can("sources:write") || allowedOrigins.length >= LIMITS.maxAllowedOrigins) return null;
  return (
    <>
      <div className="problem-origins">
        {refused.slice(0, MAX_ORIGINS).map((origin) => (
          <AsyncButton
            key={origin}
            size="xs"
            variant="default"
            className="wrap-button"
            isPending={allow.isPending}
            onPress={() => allow.mutateAsync(originToAllow(origin) ?? origin)}
          >
            Allow {originToAllow(origin)}
          </AsyncButton>
        ))}
      </div>
      {allow.error && <ErrorAlert error={allow.error} />}
    </>
  );
}
