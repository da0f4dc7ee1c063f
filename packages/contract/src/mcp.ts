/** Messages of the Model Context Protocol: JSON-RPC 2.0 (docs/mcp.md). */
import Type from "typebox";
import { Closed, FreeObject, Nullable, text } from "./shapes.ts";

const Version = Type.Literal("2.0", { description: "The version of JSON-RPC." });
const MessageId = Type.Unsafe<string | number>({ type: ["string", "integer"], maxLength: 200 });

export const McpMessage = Type.Object(
  {
    jsonrpc: Version,
    id: Type.Optional({ ...MessageId, description: "The id of the request. A notification has none." }),
    method: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "The method of the protocol, such as tools/list.",
    }),
    params: Type.Optional({ ...FreeObject, description: "The parameters of the method." }),
  },
  { description: "A request or a notification. The protocol may add members." },
);

export const McpAnswer = Closed({
  jsonrpc: Version,
  id: Nullable(MessageId, { description: "The id of the request; null: it could not be read." }),
  result: Type.Optional({ ...FreeObject, description: "What the method returns." }),
  error: Type.Optional(
    Closed(
      {
        code: Type.Integer({ description: "The code of JSON-RPC or of the protocol." }),
        message: text("What went wrong."),
        data: Type.Optional(Type.Unknown({ description: "Any JSON value." })),
      },
      { description: "An error of the protocol. Exactly one of `result` and `error` is present." },
    ),
  ),
});
