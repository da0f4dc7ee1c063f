/** Verification of an install: the report of a page, and the checks made from it (docs/contract.md section 7). */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import { Closed, Id, Maybe, Nullable, OneOf, Time } from "./shapes.ts";

const Address = Type.String({ maxLength: LIMITS.maxUrlLength });
const Word = Type.String({ maxLength: 200 });

/** One place in a page that loads the client. */
export const PageSnippet = Closed({
  /** `tag`: a `<script src>`. `inline`: the pasted snippet. `bundle`: part of the application's own scripts. */
  kind: OneOf(["tag", "inline", "bundle"]),
  scriptUrl: Nullable(Address),
  publicKey: Nullable(Word),
  apiBaseUrl: Nullable(Address),
  /** The nonce of the element, for policies that allow scripts by nonce. */
  nonce: Nullable(Word),
  /** The hash of an inline script's text: `sha256-…`. */
  hash: Nullable(Word),
});
export type PageSnippet = Static<typeof PageSnippet>;

/** The report of a page about its install. */
export const PageReport = Closed({
  url: Type.String({
    pattern: "^https?://",
    maxLength: LIMITS.maxUrlLength,
    description: "an address that starts with http:// or https://",
  }),
  snippets: Type.Array(PageSnippet, { maxItems: LIMITS.maxReportedSnippets }),
  /** Every Content-Security-Policy of the page, from headers and `<meta>` elements. */
  policies: Type.Array(Type.String({ maxLength: LIMITS.maxReportedPolicyLength }), {
    maxItems: LIMITS.maxReportedPolicies,
  }),
  /** Whether the script of the client loaded. */
  script: OneOf(["loaded", "failed", "unknown"]),
  /**
   * The last request of the client. null: there was none. A status of null: the network or the browser blocked it.
   * `attemptId` is in every response of Headwater, so it tells them from another web server's 200.
   */
  request: Nullable(
    Closed({ status: Nullable(Type.Integer()), code: Nullable(Word), attemptId: Maybe(Word) }),
  ),
  /** The time of the report by the page's clock. */
  sentAt: Time,
});
export type PageReport = Static<typeof PageReport>;

export const VerifyBody = Closed({ organizationId: Type.Optional(Id), report: PageReport });

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
export const CHECK_STATUSES = ["ok", "warning", "wrong", "unknown"] as const;

/** One check, its result, and the text to paste that fixes it. */
export const InstallCheck = Closed({
  check: OneOf(CHECKS),
  status: OneOf(CHECK_STATUSES),
  message: Type.String(),
  hint: Nullable(Type.String()),
  paste: Nullable(Type.String()),
});
export type InstallCheck = Static<typeof InstallCheck>;

export const Verification = Closed({
  /** No check is `wrong`, and `reachable` is not `unknown`. */
  isWorking: Type.Boolean(),
  checks: Type.Array(InstallCheck),
});
export type Verification = Static<typeof Verification>;
