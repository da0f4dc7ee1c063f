import type { Schemas } from "./schema.d.ts";

type FailureCode = Schemas["Error"]["code"] | "unreachable" | "unreadable";
type FailureAnswer = Omit<Partial<Schemas["Error"]>, "code"> & { code: FailureCode; message: string };

/** A proxy answers these when the service is down. */
const PROXY_STATUSES = [502, 503, 504];
const UNREACHABLE = {
  code: "unreachable",
  hint: "Check your connection, the address, and that the service is running. If you sent a change, check whether it was saved.",
  retryable: true,
} as const;

/** A request that failed. `code` says what went wrong, `hint` what to do. */
export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  /** 0: no response came. */
  readonly status: number;
  /** `unreachable`: no response came, or a proxy answered for the service. `unreadable`: another server answered. */
  readonly code: FailureCode;
  readonly hint: string;
  readonly retryable: boolean;
  readonly requestId: string | null;
  readonly issues: readonly Schemas["Issue"][];
  /** How long the service asks to wait. null: it does not say. */
  readonly retryAfterMs: number | null;
  /** The whole answer, such as `limit` and `resetAt` of a quota. */
  readonly answer: FailureAnswer;

  constructor(
    status: number,
    answer: FailureAnswer,
    retryAfterMs: number | null = null,
    options?: { cause: unknown },
  ) {
    super(answer.message, options);
    this.status = status;
    this.code = answer.code;
    this.hint = answer.hint ?? "";
    this.retryable = answer.retryable ?? false;
    this.requestId = answer.requestId ?? null;
    this.issues = answer.issues ?? [];
    this.retryAfterMs = retryAfterMs;
    this.answer = answer;
  }

  /** @returns what is wrong with this field of the request, or null */
  issueAt(...path: (string | number)[]): string | null {
    return this.issues.find((issue) => issue.path.join() === path.join())?.message ?? null;
  }
}

/** The failure of a response that is not what the service answers. */
export function unreadable({ origin, pathname }: URL, { status }: Response): ApiFailure {
  const message = `${origin}${pathname} responded with ${status}, but not as Headwater does.`;
  return new ApiFailure(status, { code: "unreadable", message, hint: "Check the address of the service." });
}

/** @param error why no response came, or why it broke off */
export function unreachable({ origin }: URL, error: unknown): ApiFailure {
  const { name, cause } = error instanceof Error ? error : new Error();
  const reason = cause instanceof Error && cause.message !== "" ? ` (${cause.message})` : "";
  const message = `${origin} does not answer${name === "TimeoutError" ? " in time" : reason}.`;
  return new ApiFailure(0, { ...UNREACHABLE, message }, null, { cause: error });
}

/** Reads the failure in a response. */
export async function readFailure(url: URL, response: Response): Promise<ApiFailure> {
  const { status, headers } = response;
  // whatever answers at that address; without a code it is not the service
  const answer = (await response.json().catch(() => null)) as FailureAnswer | null;
  if (answer?.code && answer.message)
    return new ApiFailure(status, answer, 1_000 * Number(headers.get("Retry-After")) || null);
  if (!PROXY_STATUSES.includes(status)) return unreadable(url, response);
  const message = `${url.origin} is not available. A proxy responded with ${status}.`;
  return new ApiFailure(status, { ...UNREACHABLE, message });
}
