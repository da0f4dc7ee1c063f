/** The server of the Model Context Protocol, by the protocol's own SDK. It is the same for HTTP and for standard input. */
import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { Refusal } from "../core/refusal.ts";
import type { InnerReply, InnerRequest } from "../http/handler.ts";
import { TOOLS, type Tool, type ToolArguments, toRequest } from "./tools.ts";

const INSTRUCTIONS = `Headwater is a web analytics service. To add tracking to an application:
1. list_organizations returns the organizationId. list_sources shows whether the application has a source already.
2. Call create_source, with the origins of the application. For an existing source, update_source adds an origin.
3. Call get_install with the framework of the application. Put the text where it belongs.
4. Open a page of the application, then call get_debug until a request shows accepted events. A refused request says how to fix it.
5. query_stats counts visitors and page views.`;

/** Makes the request of a tool. */
type AskApi = (request: InnerRequest) => Promise<InnerReply>;

const toText = (value: unknown, isError = false): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(value) }],
  isError,
});

/** @throws Refusal 422 with all issues */
function requireValid({ check }: Tool, given: ToolArguments): void {
  if (!check(given)) throw new Refusal("invalid_payload", { issues: check.issues(given) });
}

async function callTool(tool: Tool, given: ToolArguments, ask: AskApi): Promise<CallToolResult> {
  try {
    requireValid(tool, given);
    const { status, body } = await ask(toRequest(tool, given));
    if (status >= 400) return toText(body, true);
    const { defaults, shorten = (answer) => answer } = tool;
    return toText(shorten(body, { ...defaults, ...given }));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, hint, detail } = error;
    return toText({ code, message, hint, issues: detail.issues }, true);
  }
}

export function createMcpServer(ask: AskApi, version: string): Server {
  const about = { name: "headwater", title: "Headwater", version };
  const server = new Server(about, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  server.setRequestHandler("tools/list", () => ({
    tools: TOOLS.map(({ name, description, inputSchema, isReadOnly }) => ({
      name,
      description,
      inputSchema,
      annotations: { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: false },
    })),
  }));
  server.setRequestHandler("tools/call", ({ params }) => {
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (tool) return callTool(tool, params.arguments ?? {}, ask);
    const names = TOOLS.map(({ name }) => name).join(", ");
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool. Available tools: ${names}.`);
  });
  return server;
}

/**
 * Answers a message over streamable HTTP, without a session: each request has a server of its own.
 * @param message the body of the request, parsed
 */
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
