/** Asks an address outside the workspace whether it agrees to a report. The report waits until then. */
import { LIMITS } from "@headwater/contract/limits";
import { Refusal } from "../../core/refusal.ts";
import { makeCode } from "../../core/token.ts";
import type { Catalog } from "../../ledger/ledger.ts";
import type { ReportRecord } from "../../ledger/report-record.ts";
import { renderLinkMail } from "../../mail/link-mail.ts";
import type { LimitedMailer } from "../../mail/mail-limits.ts";
import { toMailName } from "../../mail/mail-text.ts";
import type { Mail } from "../../mail/mailer.ts";
import { PERIOD_WORDS } from "./period.ts";

/** What an address outside the workspace may know of it, as mails show names. */
interface ConsentRequest {
  readonly askedBy: string;
  readonly organizationName: string;
  readonly sourceName: string;
}

/** @returns null when the source or the membership of who asks has ended */
export async function readConsentRequest(
  catalog: Pick<Catalog, "source" | "organizationsOf" | "profile">,
  { sourceId, organizationId, userId }: ReportRecord,
  now: number,
): Promise<ConsentRequest | null> {
  const source = await catalog.source({ sourceId, now });
  const workspaces = await catalog.organizationsOf({ userId });
  const workspace = workspaces.find((one) => one.organizationId === organizationId);
  if (!source || !workspace) return null;
  const { name } = await catalog.profile({ userId });
  return {
    askedBy: toMailName(name ?? "A member"),
    organizationName: toMailName(workspace.name),
    sourceName: toMailName(source.name),
  };
}

/** Whether the confirmed address of a member of the workspace is this one. */
export async function isMemberAddress(
  catalog: Pick<Catalog, "userByEmail" | "roleOf">,
  organizationId: string,
  email: string,
): Promise<boolean> {
  const userId = await catalog.userByEmail({ email });
  return userId !== null && (await catalog.roleOf({ userId, organizationId })) !== null;
}

function consentMail({ period, target }: ReportRecord, request: ConsentRequest, url: string): Mail {
  const { askedBy, organizationName, sourceName } = request;
  return renderLinkMail({
    to: target,
    subject: `Do you want the ${PERIOD_WORDS[period]} report of ${sourceName}?`,
    paragraphs: [
      `${askedBy} from the workspace ${organizationName} on Headwater wants to send the ${PERIOD_WORDS[period]} report of ${sourceName} to ${target}.`,
      "Headwater sends it only if you agree.",
    ],
    button: "Answer",
    url,
    note: `The link works once, within ${LIMITS.reportConsentDays} days. If you do not want the report, ignore this email.`,
  });
}

interface ConsentDeps {
  readonly ledger: Pick<Catalog, "source" | "organizationsOf" | "profile" | "addReportLink">;
  readonly mailer: LimitedMailer | null;
  readonly addresses: () => { readonly baseUrl: string };
  readonly clock: () => number;
}

/** @throws MailError, or the refusal `rate_limited` when too many mails were sent */
export async function askForConsent(
  { ledger, mailer, addresses, clock }: ConsentDeps,
  report: ReportRecord,
): Promise<void> {
  const now = clock();
  const request = await readConsentRequest(ledger, report, now);
  if (!mailer)
    throw new Refusal("mail_unavailable", {
      message: "This service has no mail server.",
      hint: "The operator must set SMTP_URL and MAIL_FROM.",
    });
  // it was deleted in the meantime
  if (!request) throw new Refusal("source_not_found");
  const { reportId, organizationId, userId } = report;
  const { code, codeHash: hash } = makeCode();
  await ledger.addReportLink({ reportId, hash, now });
  const url = `${addresses().baseUrl}/api/reports/consent/${code}`;
  await mailer.send(consentMail(report, request, url), { organizationId, userId }, false);
}
