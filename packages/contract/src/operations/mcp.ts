/** The operation that coding agents use. Its tools call other operations of the table. */
import { McpAnswer, McpMessage } from "../mcp.ts";
import { BODY_CODES, COMMON_CODES, type Operation, TOKEN_CODES } from "../operation.ts";

export const MCP_OPERATIONS = [
  {
    id: "mcp",
    tag: "Coding agents",
    method: "POST",
    path: "/mcp",
    summary: "Send a message of the Model Context Protocol",
    description:
      "Streamable HTTP without sessions. The tools are operations of this API, with its permissions and its errors. An error of the protocol is a JSON-RPC error with status 200, 400 or 404.",
    access: "token",
    body: McpMessage,
    status: 200,
    otherStatuses: { 202: "The notification was received. The response has no body." },
    answer: McpAnswer,
    codes: [...TOKEN_CODES, "permission_denied", "origin_not_allowed", ...COMMON_CODES, ...BODY_CODES],
  },
] as const satisfies readonly Operation[];
