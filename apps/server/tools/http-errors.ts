/** Failed requests to a service, as messages. */
import { messageOf } from "../src/cli/errors.ts";

/** @param error what `fetch` rejected with; the reason is its cause */
export function describeFetchError(url: string, error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return `${url} does not answer (${messageOf(cause)}).`;
}

/** Reads the message and the hint of an error response. */
export async function describeRefusal(url: string, response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null);
  const read = (member: "message" | "hint"): string =>
    body instanceof Object && member in body ? ` ${Reflect.get(body, member)}` : "";
  return `${url} refused the request (${response.status}):${read("message")}${read("hint")}`;
}
