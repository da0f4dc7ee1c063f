/** The services that the operations of accounts use. */
import type { OperationId } from "@headwater/contract";
import type { Config } from "../config/settings.ts";
import type { CatalogServices, HandlerWith } from "../http/handler.ts";
import type { LimitedMailer } from "../mail/mail-limits.ts";
import type { BoundedLog } from "../overload/bounded-log.ts";
import type { AuditTrail } from "./audit-trail.ts";
import type { OidcClient } from "./oidc.ts";
import type { IsOperator } from "./permissions.ts";

export interface AccessServices extends CatalogServices {
  /** null: no SMTP_URL. */
  readonly mailer: LimitedMailer | null;
  /** null: no OIDC_ISSUER. */
  readonly oidc: OidcClient | null;
  /** The public addresses of the service and of its console. */
  readonly addresses: () => { readonly baseUrl: string; readonly appUrl: string };
  /** Nodes that share the rates, this one included. */
  readonly nodes: () => number;
  readonly boundedLog: BoundedLog;
  readonly auditTrail: AuditTrail;
  readonly isOperator: IsOperator;
  readonly config: Config;
}
export type AccessHandler<Id extends OperationId> = HandlerWith<AccessServices, Id>;
