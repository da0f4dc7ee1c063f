/** Answers a message over streamable HTTP, without a session: each request has a server of its own. */
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

/** @param message the body of the request, parsed */
export async function answerMessage(
  createServer: () => Server,
  request: Request,
  message: unknown,
): Promise<Response> {
  const parsed = { parsedBody: message };
  if (!(await isLegacyRequest(request, message))) {
    // a subscription would be a stream that never ends, and the tools do not change
    return createMcpHandler(createServer, { legacy: "reject", maxSubscriptions: 0 }).fetch(request, parsed);
  }
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await createServer().connect(transport);
  return transport.handleRequest(request, parsed);
}
