/** Rules between settings. */
import type { Config } from "./settings.ts";

const isPartlySet = (values: readonly unknown[]) =>
  values.some((value) => value !== null) && values.some((value) => value === null);

/** The settings that give the operator a warehouse while there is none. */
export function warehouseHint({ DATABASE_URL, WAREHOUSE }: Config): string {
  if (DATABASE_URL !== null)
    return "The operator can set CLICKHOUSE_URL on every node, or WAREHOUSE=embedded on one (docs/operate/warehouse.md).";
  if (WAREHOUSE === "off")
    return "The operator can set WAREHOUSE=embedded, or remove WAREHOUSE and set CLICKHOUSE_URL (docs/operate/warehouse.md).";
  return "The optional package chdb is not installed. The operator can install it, or set CLICKHOUSE_URL (docs/operate/warehouse.md).";
}

/** @returns a message that says what to change; null when the settings do not conflict */
export function findConflict(config: Config): string | null {
  if (isPartlySet([config.AUTH_JWKS_URL, config.AUTH_ISSUER, config.AUTH_AUDIENCE]))
    return "AUTH_JWKS_URL, AUTH_ISSUER and AUTH_AUDIENCE belong together. Set all three or none.";
  if (isPartlySet([config.ALERT_WEBHOOK_URL, config.ALERT_WEBHOOK_SECRET]))
    return "ALERT_WEBHOOK_URL and ALERT_WEBHOOK_SECRET belong together. Set both or none.";
  if (isPartlySet([config.OIDC_ISSUER, config.OIDC_CLIENT_ID]))
    return "OIDC_ISSUER and OIDC_CLIENT_ID belong together. Set both or none.";
  if (config.SIGN_IN === "oidc" && config.OIDC_ISSUER === null)
    return "SIGN_IN=oidc needs OIDC_ISSUER. Without a provider nobody could sign in.";
  if (isPartlySet([config.SMTP_URL, config.MAIL_FROM]))
    return "SMTP_URL and MAIL_FROM belong together. Set both or none.";
  if (config.WAREHOUSE === "embedded" && config.CLICKHOUSE_URL !== null)
    return "WAREHOUSE=embedded and CLICKHOUSE_URL exclude each other. Unset one of them.";
  if (config.CLICKHOUSE_CLUSTER !== null && config.CLICKHOUSE_URL === null)
    return "CLICKHOUSE_CLUSTER needs CLICKHOUSE_URL, the address of one of its nodes.";
  return null;
}
