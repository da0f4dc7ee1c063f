/** The page "Goals & data" of a source: what is counted, how long events are kept, alerts, and erasure of visitors. */
import type { Source } from "@headwater/contract";
import { useWorkspace } from "../../workspace-context.tsx";
import { AddressesForm } from "./addresses-form.tsx";
import { AlertsSection } from "./alerts-section.tsx";
import { ChannelsForm } from "./channels-form.tsx";
import { ContentGroupsForm } from "./content-groups-form.tsx";
import { EraseVisitorForm } from "./erase-visitor-form.tsx";
import { ExclusionsForm } from "./exclusions-form.tsx";
import { GoalsForm } from "./goals-form.tsx";
import { RetentionForm } from "./retention-form.tsx";
import { Sections } from "./sections.tsx";
import { SourcePage } from "./source-page.tsx";

export const DataPage = () => (
  <SourcePage title="Goals & data" permission="sources:write">
    {(source) => <Data source={source} />}
  </SourcePage>
);

function Data({ source }: { readonly source: Source }) {
  const { can } = useWorkspace();
  return (
    <Sections
      sections={[
        { title: "Goals", content: <GoalsForm source={source} /> },
        { title: "Content groups", content: <ContentGroupsForm source={source} /> },
        { title: "Exclusions", content: <ExclusionsForm source={source} /> },
        { title: "Page URLs", content: <AddressesForm source={source} /> },
        { title: "Sources and channels", content: <ChannelsForm source={source} /> },
        can("sources:admin") && { title: "Data retention", content: <RetentionForm source={source} /> },
        can("support:read") && { title: "Alerts", content: <AlertsSection /> },
        can("visitors:erase") && { title: "Erase visitor", content: <EraseVisitorForm source={source} /> },
      ]}
    />
  );
}
