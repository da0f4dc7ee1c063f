/** What is wrong with an install: a page's own report, and the checks that are made of it (CONTRACT section 7). */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import { Closed, Id, Maybe, Nullable, OneOf, Time } from "./shapes.ts";

const Address = Type.String({ maxLength: LIMITS.maxUrlLength });
const Word = Type.String({ maxLength: 200 });

/** One place where a page loads the client. */
export const PageSnippet = Closed({
  /** `tag`: a `<script src>`; `inline`: the pasted snippet; `bundle`: within the application's own scripts. */
  kind: OneOf(["tag", "inline", "bundle"]),
  scriptUrl: Nullable(Address),
  publicKey: Nullable(Word),
  apiBaseUrl: Nullable(Address),
  /** The element's, for policies that let scripts in by nonce. */
  nonce: Nullable(Word),
  /** Of an inline script's text: `sha256-…`. */
  hash: Nullable(Word),
});
export type PageSnippet = Static<typeof PageSnippet>;

/** What a page says of the install in it. */
export const PageReport = Closed({
  url: Type.String({
    pattern: "^https?://",
    maxLength: LIMITS.maxUrlLength,
    description: "an address that begins with http:// or https://",
  }),
  snippets: Type.Array(PageSnippet, { maxItems: LIMITS.maxReportedSnippets }),
  /** Each Content-Security-Policy, of a header or of a `<meta>`. */
  policies: Type.Array(Type.String({ maxLength: LIMITS.maxReportedPolicyLength }), {
    maxItems: LIMITS.maxReportedPolicies,
  }),
  /** Whether the client's script came. */
  script: OneOf(["loaded", "failed", "unknown"]),
  /**
   * The client's last request: null: none; a status of null: the network or the browser let none through. `attemptId` is
   * of the service's own answer, which a web server's 200 has not.
   */
  request: Nullable(
    Closed({ status: Nullable(Type.Integer()), code: Nullable(Word), attemptId: Maybe(Word) }),
  ),
  /** The page's clock when it made the report. */
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

/** One question, its answer, and what to paste where. */
export const Check = Closed({
  check: OneOf(CHECKS),
  status: OneOf(CHECK_STATUSES),
  message: Type.String(),
  hint: Nullable(Type.String()),
  paste: Nullable(Type.String()),
});
export type Check = Static<typeof Check>;

export const Verification = Closed({
  /** No check is `wrong`, and the service was seen to answer: `reachable` is not `unknown`. */
  isWorking: Type.Boolean(),
  checks: Type.Array(Check),
});
export type Verification = Static<typeof Verification>;
