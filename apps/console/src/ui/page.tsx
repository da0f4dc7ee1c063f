import { type ReactNode, useEffect } from "react";
import { Stack, Text, Title } from "./primitives/elements.tsx";

interface PageProps {
  readonly title: string;
  /** Which of several pages with the same heading this is, for the title of the tab. */
  readonly section?: string;
  /** Controls beside the heading. */
  readonly beside?: ReactNode;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Sets the title of the tab. */
export function useTabTitle(title: string, section?: string): void {
  useEffect(() => {
    document.title = [title, section, "Headwater"].filter(Boolean).join(" · ");
  }, [title, section]);
}

/** The frame of a page: heading, lead text, actions and content. The heading is also the title of the tab. */
export function Page({ title, section, beside, lead, actions, children }: PageProps) {
  useTabTitle(title, section);
  return (
    <Stack gap="sm">
      <div className="page-head">
        <div className="page-title">
          <div className="page-name">
            <Title order={1} className="clamp" title={title}>
              {title}
            </Title>
            {beside}
          </div>
          {lead && <Text c="dimmed">{lead}</Text>}
        </div>
        {actions}
      </div>
      {children}
    </Stack>
  );
}
