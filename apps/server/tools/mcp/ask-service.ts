/** Makes the requests of the tools to a running service. */
import { ApiFailure, type HeadwaterApi } from "../../../../packages/api/src/index.ts";
import type { InnerReply, InnerRequest } from "../../src/http/handler.ts";

/** @returns a failure when the service does not answer, so that an agent reads what to do */
export async function askService(
  api: HeadwaterApi,
  { operation, ...input }: InnerRequest,
): Promise<InnerReply> {
  // the input has been checked against the operation's schema
  const request: (checked: object) => Promise<unknown> = Reflect.get(api, operation.id);
  try {
    return { status: 200, body: await request(input) };
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    return { status: error.status || 502, body: error.answer };
  }
}
