/** Verification of an install: the report of a page, and the checks made from it (docs/api/install.md). */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import {
  Closed,
  flag,
  Maybe,
  Nullable,
  OneOf,
  SameOrganizationId,
  Time,
  text,
  textOrNull,
} from "./shapes.ts";

const Address = Type.String({ maxLength: LIMITS.maxUrlLength });
const Word = Type.String({ maxLength: 200 });

/** One place in a page that loads the client. */
export const PageSnippet = Closed({
  kind: OneOf(["tag", "inline", "bundle"], {
    description:
      "`tag`: a script element with an address. `inline`: the pasted snippet. `bundle`: part of the application's own scripts.",
  }),
  scriptUrl: Nullable(Address, { description: "The address of the script; null: it is not known." }),
  publicKey: Nullable(Word, { description: "The key in the snippet; null: it is not known." }),
  apiBaseUrl: Nullable(Address, { description: "The address that it sends to; null: it is not known." }),
  nonce: Nullable(Word, {
    description: "The nonce of the element, for policies that allow scripts by nonce.",
  }),
  hash: Nullable(Word, { description: "The hash of an inline script's text, `sha256-…`." }),
});
export type PageSnippet = Static<typeof PageSnippet>;

/** The report of a page about its install. */
export const PageReport = Closed({
  url: Type.String({
    pattern: "^https?://",
    maxLength: LIMITS.maxUrlLength,
    description: "an address that starts with http:// or https://",
  }),
  snippets: Type.Array(PageSnippet, {
    maxItems: LIMITS.maxReportedSnippets,
    description: "Every place in the page that loads the client.",
  }),
  policies: Type.Array(Type.String({ maxLength: LIMITS.maxReportedPolicyLength }), {
    maxItems: LIMITS.maxReportedPolicies,
    description: "Every Content-Security-Policy of the page, from headers and `<meta>` elements.",
  }),
  script: OneOf(["loaded", "failed", "unknown"], { description: "Whether the client's script loaded." }),
  request: Nullable(
    Closed({
      status: Nullable(Type.Integer(), {
        description: "The response's status; null: the network or the browser blocked the request.",
      }),
      code: Nullable(Word, { description: "The `code` of the response." }),
      attemptId: Maybe(Word, {
        description:
          "The `attemptId` of the response, which shows that Headwater responded, and not another web server.",
      }),
    }),
    { description: "The client's last request; null: there was none." },
  ),
  // the description is in issues, so it says what a time looks like
  sentAt: Time,
});
export type PageReport = Static<typeof PageReport>;

export const VerifyBody = Closed({ organizationId: SameOrganizationId, report: PageReport });

export const TestInstallBody = Closed({
  organizationId: SameOrganizationId,
  url: Type.String({
    pattern: "^https?://",
    maxLength: LIMITS.maxUrlLength,
    description: "an address that starts with http:// or https://",
  }),
});

export const CHECKS = [
  "page",
  "snippet",
  "snippet_once",
  "key",
  "api_address",
  "reachable",
  "cors",
  "source_active",
  "origin",
  "csp_script",
  "csp_connect",
  "clock",
  "blocked_by_name",
] as const;
const CHECK_STATUSES = ["ok", "warning", "wrong", "unknown"] as const;

/** One check, its result, and the text to paste that fixes it. */
export const InstallCheck = Closed({
  check: OneOf(CHECKS, { description: "What was checked." }),
  status: OneOf(CHECK_STATUSES, { description: "The result. `unknown`: the page could not report it." }),
  message: text("The result, for people."),
  hint: textOrNull("What to do; null: nothing."),
  paste: textOrNull("The line that fixes the problem; null: there is none."),
});
export type InstallCheck = Static<typeof InstallCheck>;

export const Verification = Closed({
  isWorking: flag("No check is `wrong`, and `reachable` is not `unknown`."),
  checks: Type.Array(InstallCheck, { description: "One entry for each check, always in the same order." }),
});
export type Verification = Static<typeof Verification>;
