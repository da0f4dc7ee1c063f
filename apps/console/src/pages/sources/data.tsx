/** What becomes of a source's data: how it is counted, how long it is kept, whom it is erased of, who is told. */
import type { Source } from "@headwater/contract";
import { Stack } from "@mantine/core";
import { useWorkspace } from "../../workspace.tsx";
import { Alerts } from "./alerts.tsx";
import { CountingForm } from "./counting.tsx";
import { Erase } from "./erase.tsx";
import { RetentionSection } from "./retention.tsx";
import { SourcePage } from "./source-page.tsx";

export const DataPage = () => (
  <SourcePage title="What becomes of its data" permission="sources:write">
    {(source) => <Data source={source} />}
  </SourcePage>
);

function Data({ source }: { readonly source: Source }) {
  const { can } = useWorkspace();
  return (
    <Stack gap="lg" maw={760}>
      <CountingForm source={source} />
      {can("sources:admin") && <RetentionSection source={source} />}
      {can("visitors:erase") && <Erase source={source} />}
      {can("support:read") && <Alerts />}
    </Stack>
  );
}
