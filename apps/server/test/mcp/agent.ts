/** A coding agent: the client of the protocol's SDK. */
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { BIN } from "../cli/command-line.ts";
import { OWNER_TOKEN } from "../support/world.ts";

/** `legacy`: the revisions of 2025, which begin with a handshake. `auto`: that of 2026-07-28, which has none. */
export const ERAS = ["legacy", "auto"] as const;

interface ToolAnswer {
  isError: boolean;
  /** The JSON of the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  body: any;
}

export interface Agent extends AsyncDisposable {
  readonly client: Client;
  call(name: string, given?: Record<string, unknown>): Promise<ToolAnswer>;
}

async function connect(transport: Transport, mode: (typeof ERAS)[number]): Promise<Agent> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return {
    client,
    async call(name, given = {}) {
      const { content, isError = false } = await client.callTool({ name, arguments: given });
      const [answer] = content as { text: string }[];
      return { isError, body: JSON.parse(answer!.text) };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** @returns an agent that calls `/mcp` of the service */
export function agentOverHttp(
  url: string,
  token = OWNER_TOKEN,
  mode: (typeof ERAS)[number] = "auto",
): Promise<Agent> {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  return connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }), mode);
}

/** @returns an agent that has started `headwater mcp` */
export function agentOverStdio(words: string[], mode: (typeof ERAS)[number] = "auto"): Promise<Agent> {
  const args = [BIN, "mcp", ...words];
  return connect(new StdioClientTransport({ command: process.execPath, args }), mode);
}
