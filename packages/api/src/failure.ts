import type { Schemas } from "./schema.d.ts";

type FailureMembers = Omit<Schemas["Error"], "ok" | "message">;

/** A failure that the service answered. `code` says what went wrong, `hint` what to do. */
export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  readonly status: number;
  /** `unreachable`: no response came. `unreadable`: another server answered. */
  readonly code: Schemas["Error"]["code"] | "unreachable" | "unreadable";
  readonly hint: string;
  readonly retryable: boolean;
  readonly requestId: string | null;
  readonly issues: readonly Schemas["Issue"][];

  constructor(status: number, message: string, members: Partial<FailureMembers>, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = members.code ?? (status === 0 ? "unreachable" : "unreadable");
    this.hint = members.hint ?? "";
    this.retryable = members.retryable ?? false;
    this.requestId = members.requestId ?? null;
    this.issues = members.issues ?? [];
  }
}

/** Reads the failure in a response. */
export async function readFailure(response: Response): Promise<ApiFailure> {
  // whatever answers at that address; members that are missing get defaults
  const body = (await response.json().catch(() => ({}))) as Partial<Schemas["Error"]>;
  const message = body.message ?? `${response.url} answered ${response.status}, but not as Headwater does.`;
  return new ApiFailure(response.status, message, body);
}
