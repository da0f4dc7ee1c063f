/** The data page of a source: what is counted, how long events are kept, alerts, and erasure of visitors. */
import type { Source } from "@headwater/contract";
import { Stack } from "@mantine/core";
import { useWorkspace } from "../../workspace-context.tsx";
import { AddressesForm } from "./addresses-form.tsx";
import { AlertsSection } from "./alerts-section.tsx";
import { ChannelsForm } from "./channels-form.tsx";
import { EraseVisitorForm } from "./erase-visitor-form.tsx";
import { ExclusionsForm } from "./exclusions-form.tsx";
import { GoalsForm } from "./goals-form.tsx";
import { RetentionForm } from "./retention-form.tsx";
import { SourcePage } from "./source-page.tsx";

export const DataPage = () => (
  <SourcePage title="Data" permission="sources:write">
    {(source) => <Data source={source} />}
  </SourcePage>
);

function Data({ source }: { readonly source: Source }) {
  const { can } = useWorkspace();
  return (
    <Stack gap="lg" maw={760}>
      <GoalsForm source={source} />
      <ExclusionsForm source={source} />
      <AddressesForm source={source} />
      <ChannelsForm source={source} />
      {can("sources:admin") && <RetentionForm source={source} />}
      {can("support:read") && <AlertsSection />}
      {can("visitors:erase") && <EraseVisitorForm source={source} />}
    </Stack>
  );
}
