/** The panel that creates, lists, previews and deletes the weekly and monthly reports of a source. */
import type { ReportChannel, ReportPeriod } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiAnswer, ApiFailure, api } from "../../../api.ts";
import { dateFormat } from "../../../own-format.ts";
import { DAY_MS, HOUR_MS } from "../../../time.ts";
import { AsyncButton } from "../../../ui/async-button.tsx";
import { ConfirmButton } from "../../../ui/confirm-dialog.tsx";
import { ErrorAlert, QueryResult } from "../../../ui/page-states.tsx";
import { ColumnHeads, toColumnVariables } from "../../../ui/paged-table.tsx";
import { Button, Group, Stack, Table, Text } from "../../../ui/primitives/elements.tsx";
import { NativeSelect, TextInput } from "../../../ui/primitives/fields.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { ScrollRegion } from "../../../ui/scroll-region.tsx";
import { TextWithCode } from "../../../ui/text-with-code.tsx";
import { useSubmit } from "../../../ui/use-submit.ts";
import type { StatsView } from "../use-stats-view.ts";
import { ReportPreview } from "./report-preview.tsx";
import "./reports.css";

type ReportRow = ApiAnswer<"listReports">["reports"][number];

const days = dateFormat({ dateStyle: "medium" });
const time = dateFormat({ timeStyle: "short", timeZone: "UTC" });
const PERIODS = [
  { value: "week", label: "Every week", sentOn: "every Monday" },
  { value: "month", label: "Every month", sentOn: "on the first day of every month" },
] as const;
const periodLabel = (period: ReportPeriod): string =>
  PERIODS.find(({ value }) => value === period)?.label ?? period;

export function ReportsPanel({ view }: { readonly view: StatsView }) {
  const { sourceId } = view.scope;
  const [previewed, setPreviewed] = useState<ReportPeriod | null>(null);
  const query = useQuery({
    queryKey: ["reports", sourceId],
    queryFn: ({ signal }) => api.listReports({ params: { sourceId }, signal }),
  });
  return (
    <QueryResult query={query} rows={2}>
      {({ reports, canMail }) => (
        <Stack>
          <Text size="sm">
            A report shows the figures for the week or month that has just ended, compared with the one
            before.
          </Text>
          {!canMail && (
            <Text size="sm">
              <TextWithCode text="This service has no mail server, so reports go to Slack only. For email, the operator must set `SMTP_URL` and `MAIL_FROM`." />
            </Text>
          )}
          <ReportForm view={view} canMail={canMail} onPreview={setPreviewed} />
          {previewed && <ReportPreview view={view} period={previewed} onClose={() => setPreviewed(null)} />}
          <ReportTable sourceId={sourceId} reports={reports} />
        </Stack>
      )}
    </QueryResult>
  );
}

interface ReportFormProps {
  readonly view: StatsView;
  readonly canMail: boolean;
  readonly onPreview: (period: ReportPeriod) => void;
}

const TARGETS = {
  email: { label: "Email address", placeholder: "name@example.com", type: "email" },
  slack: { label: "Slack webhook URL", placeholder: "https://hooks.slack.com/services/…", type: "url" },
} as const;

function ReportForm({ view: { scope, timeZone }, canMail, onPreview }: ReportFormProps) {
  const client = useQueryClient();
  const [period, setPeriod] = useState<ReportPeriod>("week");
  const [channel, setChannel] = useState<ReportChannel>(canMail ? "email" : "slack");
  const [target, setTarget] = useState("");
  const { sourceId } = scope;
  const creation = useMutation({
    mutationFn: () =>
      api.createReport({
        params: { sourceId },
        body: { period, channel, target: target.trim(), timezone: timeZone },
      }),
    onSuccess: async () => {
      setTarget("");
      await client.invalidateQueries({ queryKey: ["reports", sourceId] });
    },
  });
  const failure = creation.error instanceof ApiFailure ? creation.error : null;
  const isEmpty = target.trim() === "";
  const submit = useSubmit(() => creation.mutateAsync(), !isEmpty);
  return (
    <>
      <form onSubmit={submit} className="in-line" aria-label="New report" noValidate>
        <NativeSelect
          label="Period"
          data={PERIODS.map(({ value, label }) => ({ value, label }))}
          value={period}
          onChange={(event) => setPeriod(event.currentTarget.value === "month" ? "month" : "week")}
        />
        {canMail && (
          <NativeSelect
            label="Send to"
            data={[
              { value: "email", label: "Email" },
              { value: "slack", label: "Slack" },
            ]}
            value={channel}
            onChange={(event) => setChannel(event.currentTarget.value === "slack" ? "slack" : "email")}
          />
        )}
        <TextInput
          {...TARGETS[channel]}
          required
          maxLength={LIMITS.maxReportTargetLength}
          value={target}
          error={failure?.issueAt("target")}
          onChange={(event) => setTarget(event.currentTarget.value)}
        />
        <AsyncButton type="submit" isPending={creation.isPending} disabled={isEmpty}>
          Create report
        </AsyncButton>
        <Button variant="default" onClick={() => onPreview(period)}>
          Preview
        </Button>
      </form>
      <Text size="sm" c="dimmed">
        Sent {PERIODS.find(({ value }) => value === period)?.sentOn} at {time().format(6 * HOUR_MS)} in the
        time zone of this page, {timeZone}.
        {channel === "email" &&
          " A recipient outside the workspace first gets an email with a link, and must agree."}
      </Text>
      {creation.error && <ErrorAlert error={creation.error} />}
    </>
  );
}

const COLUMNS = ["Report", "Last sent", "Next", ""];

interface ReportTableProps {
  readonly sourceId: string;
  readonly reports: readonly ReportRow[];
}

function ReportTable({ sourceId, reports }: ReportTableProps) {
  if (reports.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No reports yet. Preview or create one above.
      </Text>
    );
  return (
    <ScrollRegion label="Reports">
      <Table className="stacked" style={toColumnVariables(COLUMNS)}>
        <ColumnHeads columns={COLUMNS} />
        <tbody>
          {reports.map((report) => (
            <ReportTableRow key={report.reportId} sourceId={sourceId} report={report} />
          ))}
        </tbody>
      </Table>
    </ScrollRegion>
  );
}

/** A report whose address is asked: the mail has a link that works for some days. */
function Unconfirmed({ report: { target, createdAt } }: { readonly report: ReportRow }) {
  const maxDays = LIMITS.reportConsentDays;
  const isExpired = Date.parse(createdAt) + maxDays * DAY_MS < Date.now();
  return (
    <Text size="sm" c={isExpired ? "red" : "dimmed"} className="wrap" role="status">
      {isExpired ? (
        <>
          <bdi>{target}</bdi> did not agree within {maxDays} days. To ask again, delete the report and create
          it again.
        </>
      ) : (
        <>
          Waiting for <bdi>{target}</bdi> to agree. The link is in the email that was sent there.
        </>
      )}
    </Text>
  );
}

interface ReportTableRowProps {
  readonly sourceId: string;
  readonly report: ReportRow;
}

function ReportTableRow({ sourceId, report }: ReportTableRowProps) {
  const { reportId, period, target, timezone, confirmedAt, lastSentAt, lastError, nextAt } = report;
  const client = useQueryClient();
  const params = { sourceId, reportId };
  const refetch = () => client.invalidateQueries({ queryKey: ["reports", sourceId] });
  const sending = useMutation({ mutationFn: () => api.sendReport({ params }), onSettled: refetch });
  // the reason is stored, and shown as the last error
  const isShownAbove = sending.error instanceof ApiFailure && sending.error.code === "report_not_sent";
  return (
    <tr>
      <td className="wrap">
        <Text fw={600} className="wrap">
          <bdi>{target}</bdi>
        </Text>
        <Text size="sm" c="dimmed">
          {periodLabel(period)} · {timezone}
        </Text>
        {confirmedAt === null && <Unconfirmed report={report} />}
        {lastError !== null && (
          <Text size="sm" c="red" className="wrap" role="status">
            Not sent: {lastError}
          </Text>
        )}
        {sending.error && !isShownAbove && <ErrorAlert error={sending.error} />}
      </td>
      <td>
        <RelativeTime at={lastSentAt} missing="Never" />
      </td>
      <td>{nextAt === null ? "—" : <time dateTime={nextAt}>{days().format(new Date(nextAt))}</time>}</td>
      <td>
        <Group gap="xs" wrap="nowrap" className="report-actions">
          {confirmedAt !== null && (
            <AsyncButton
              size="xs"
              variant="default"
              aria-label={`Send now: report to ${target}`}
              isPending={sending.isPending}
              onPress={() => sending.mutateAsync().catch(() => undefined)}
            >
              Send now
            </AsyncButton>
          )}
          <ConfirmButton
            label="Delete"
            name={`Delete report to ${target}`}
            title="Delete this report?"
            confirmLabel="Delete report"
            onConfirm={async () => {
              await api.deleteReport({ params });
              await refetch();
            }}
          >
            <Text className="wrap">
              <bdi>{target}</bdi> will no longer get this report.
            </Text>
          </ConfirmButton>
        </Group>
      </td>
    </tr>
  );
}
