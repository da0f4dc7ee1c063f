/** Errors of a command, and the exit code and message of whatever was thrown. */

import type { ErrorCode, Issue, SourceFieldName } from "@headwater/contract";
import { ApiFailure } from "../../../../packages/api/src/index.ts";
import { HEADWATER } from "../core/command-name.ts";
import { messageOf, needsOperator } from "../core/errors.ts";
import { Refusal } from "../core/refusal.ts";

/** The command line itself is wrong. The message names the argument; the command to run for help is added to it. */
export class UsageError extends Error {}

/** The command cannot be done. The message says what to do instead. */
export class CommandFailed extends Error {}

/** Exit codes as in sysexits.h: EX_USAGE and EX_CONFIG. docs/operate/runbook/HeadwaterDown.md says what ends a start with 78. */
const EXIT_USAGE = 64;
const EXIT_CONFIG = 78;
const EXIT_FAILED = 1;

interface Explanation {
  exitCode: number;
  message: string;
}

/** The option that sets a field of a source. null: its members have their own. */
const OPTION_OF_SOURCE_FIELD: Readonly<Record<SourceFieldName, string | null>> = {
  name: "--name",
  slug: "--slug",
  allowedOrigins: "--origin",
  frameworkHint: "--framework",
  isActive: "--active",
  requireOrigin: "--require-origin",
  privacy: null,
  engagement: "--engagement",
  goals: "--goal",
  contentGroups: "--content-group",
  bots: "--bots",
  excludedPaths: "--exclude-path",
  excludedAddresses: "--exclude-address",
  queryParameters: "--query-parameter",
  pathRules: null,
  channelRules: "--channel-rule",
  retentionDays: "--retention-days",
  keepRejected: "--keep-rejected",
  embedOrigins: "--embed-origin",
  limits: null,
};

/** The option that sets a field of a request body or query. */
const OPTION_OF_FIELD: Readonly<Record<string, string | null>> = {
  ...OPTION_OF_SOURCE_FIELD,
  "pathRules.patterns": "--merge-path",
  "limits.maxBatchSize": "--max-batch-size",
  "limits.maxPayloadBytes": "--max-payload-bytes",
  "limits.clientRatePerSecond": "--client-rate-per-second",
  "limits.eventsPerDay": "--events-per-day",
  "limits.bytesPerDay": "--bytes-per-day",
  userId: "--user",
  email: "--email",
  role: "--role",
  label: "--label",
  expiresAt: "--expires",
  from: "--from",
  to: "--to",
  cursor: "--resume",
};

/** Replaces hints of the error catalogue that name an HTTP request. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  source_not_found: `Run \`${HEADWATER} source list\` to see the sources.`,
  member_not_found: `Run \`${HEADWATER} member list\` to see the members.`,
  token_not_found: `Run \`${HEADWATER} token list\` to see the tokens.`,
  member_exists: `Run \`${HEADWATER} member role\` to change a member's role.`,
  slug_taken: "Choose another --slug, or omit it to derive one from the name.",
};

/** Names the option in place of the field that an issue begins with. */
function toSentence({ path, message }: Issue): string {
  const field = path.join(".");
  const option = OPTION_OF_FIELD[field] ?? OPTION_OF_FIELD[String(path[0])] ?? null;
  if (option === null || !message.startsWith(field)) return `${message}.`;
  const number = typeof path[1] === "number" ? ` (number ${path[1] + 1})` : "";
  return `${option}${number}${message.slice(field.length)}`.replace(/[^.?!]$/, "$&.");
}

function explainRefusal(refusal: Refusal): Explanation {
  const { issues } = refusal.detail;
  if (issues !== undefined) return { exitCode: EXIT_USAGE, message: issues.map(toSentence).join(" ") };
  const hint = HINTS[refusal.code] ?? refusal.hint;
  return { exitCode: EXIT_FAILED, message: `${refusal.message} ${hint}` };
}

/** A failure of the service that a command called. The service says what to do in the terms of its API. */
function explainFailure({ status, code, message, hint, issues, requestId }: ApiFailure): Explanation {
  const problem = issues.length > 0 ? issues.map(toSentence).join(" ") : `${message} ${hint}`;
  const refused = requestId === null ? "" : `The service refused the request (${status} ${code}): `;
  return { exitCode: EXIT_FAILED, message: `${refused}${problem}` };
}

export function explainError(error: unknown): Explanation {
  if (needsOperator(error)) return { exitCode: EXIT_CONFIG, message: error.message };
  if (error instanceof UsageError) return { exitCode: EXIT_USAGE, message: error.message };
  if (error instanceof Refusal) return explainRefusal(error);
  if (error instanceof ApiFailure) return explainFailure(error);
  return { exitCode: EXIT_FAILED, message: messageOf(error) || "The command failed." };
}
