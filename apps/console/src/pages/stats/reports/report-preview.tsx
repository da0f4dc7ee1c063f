/** The mail of a report, as mail programs show it. */
import type { ReportPeriod } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../../api.ts";
import { QueryResult } from "../../../ui/page-states.tsx";
import { Button, Group, Text } from "../../../ui/primitives/elements.tsx";
import type { StatsView } from "../use-stats-view.ts";

interface ReportPreviewProps {
  readonly view: StatsView;
  readonly period: ReportPeriod;
  readonly onClose: () => void;
}

export function ReportPreview({ view: { scope, timeZone }, period, onClose }: ReportPreviewProps) {
  const { sourceId } = scope;
  const query = useQuery({
    queryKey: ["report-preview", sourceId, period, timeZone],
    queryFn: ({ signal }) =>
      api.previewReport({ params: { sourceId }, query: { period, timezone: timeZone }, signal }),
  });
  return (
    <section className="stack report" aria-label="Preview">
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Text fw={600} className="clamp">
          <bdi>{query.data?.subject ?? "Preview"}</bdi>
        </Text>
        <Button size="xs" variant="default" onClick={onClose}>
          Close preview
        </Button>
      </Group>
      <QueryResult query={query} rows={4}>
        {({ html }) => (
          <iframe
            title="Report"
            className="report-preview"
            // no script runs in it
            sandbox="allow-same-origin"
            srcDoc={withoutStyles(html)}
            onLoad={({ currentTarget }) => applyStyles(currentTarget)}
          />
        )}
      </QueryResult>
    </section>
  );
}

const HELD_BACK = "data-style";

/** The console's Content-Security-Policy also applies to the frame, and refuses styles in HTML. Quotes in names are escaped. */
const withoutStyles = (html: string): string => html.replaceAll(' style="', ` ${HELD_BACK}="`);

/** Applies the styles that were held back, makes links plain text, and makes the frame as high as the mail. */
function applyStyles(frame: HTMLIFrameElement): void {
  const { contentDocument: mail } = frame;
  if (!mail) return;
  for (const element of mail.querySelectorAll<HTMLElement>(`[${HELD_BACK}]`))
    element.style.cssText = element.getAttribute(HELD_BACK) ?? "";
  for (const link of mail.querySelectorAll("a")) link.removeAttribute("href");
  frame.style.height = `${mail.documentElement.scrollHeight}px`;
}
