/** `headwater mcp`: the tools of coding agents on standard input and output. They call a running service. */
import { defineCommand, parsed, text } from "../../src/cli/command.ts";
import { publicAddresses } from "../../src/cli/service-address.ts";
import { readVersion } from "../../src/config/build-info.ts";
import { processEnvironment, readConfig } from "../../src/config/config.ts";
import { parseHttpUrl, remoteApi } from "../remote-service.ts";
import { askService } from "./ask-service.ts";

export const mcp = defineCommand({
  description: "Give coding agents the tools to set up tracking, over the Model Context Protocol",
  details: [
    "An agent starts this command and talks to it on standard input and output. docs/mcp.md shows how to configure an agent. The running service has the same tools at /mcp.",
  ],
  options: {
    api: parsed("url", "The running service's address (default: the one in the settings)", parseHttpUrl),
    "token-file": text("file", "File that holds an access token; the agent can do what its role permits"),
  },
  run: async ({
    api: address = new URL(publicAddresses(readConfig(processEnvironment())).baseUrl),
    "token-file": tokenFile,
  }) => {
    const api = remoteApi(address, tokenFile);
    const version = readVersion();
    // imported here, because `headwater --help` loads every command
    const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
    const { createMcpServer } = await import("../../src/mcp/server.ts");
    serveStdio(() => createMcpServer((request) => askService(api, request), version));
    return null;
  },
});
