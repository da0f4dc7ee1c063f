/** The numbers of one source for whoever has the link to them, and nothing else. */
import { Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { ApiError, call } from "../../api.ts";
import { session } from "../../session.ts";
import { Brand } from "../../ui/brand.tsx";
import { ColourScheme } from "../../ui/colour-scheme.tsx";
import { Page } from "../../ui/page.tsx";
import { Answered, Empty } from "../../ui/states.tsx";
import { GuestProvider } from "../../workspace.tsx";
import { Stats } from "./stats.tsx";

/** A first event is looked for this often. */
const FIRST_EVENT_MS = 10_000;

export function SharedPage() {
  const { sourceId = "" } = useSearch({ strict: false }) as { sourceId?: string };
  const isWhole = sourceId !== "" && session.token() !== null;
  return (
    <GuestProvider>
      <header className="shared-head">
        <Group justify="space-between" gap="sm">
          <Brand />
          <ColourScheme />
        </Group>
      </header>
      <main className="shared content">
        {isWhole ? (
          <Numbers sourceId={sourceId} />
        ) : (
          <Empty title="This link is not whole">
            A part of it is missing, perhaps its end. Copy all of it once more, or ask whoever gave it to you.
          </Empty>
        )}
      </main>
    </GuestProvider>
  );
}

const isOver = (error: Error | null) =>
  error instanceof ApiError && (error.status === 401 || error.code === "source_not_found");

function Numbers({ sourceId }: { readonly sourceId: string }) {
  const query = useQuery({
    queryKey: ["stats", "source", sourceId],
    queryFn: ({ signal }) => call("getStatsSource", { query: { sourceId }, signal }),
    refetchInterval: ({ state: { data } }) => (data?.lastEventAt === null ? FIRST_EVENT_MS : false),
  });
  if (isOver(query.error))
    return (
      <Empty title="This link works no more">
        It has expired or was taken back. Whoever gave it to you can give you a new one.
      </Empty>
    );
  return (
    <Answered query={query}>
      {({ name, lastEventAt }) => (
        <Page title={name} lead="What the events come to">
          {lastEventAt === null ? (
            <Empty title="No event yet">The numbers are here as soon as the first event has come.</Empty>
          ) : (
            <Stats sourceId={sourceId} />
          )}
        </Page>
      )}
    </Answered>
  );
}
