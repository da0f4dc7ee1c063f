/** The process under test when the command line's `serve` is not what is measured: the real server, and nothing else. */
import { processEnvironment, readConfig } from "../apps/server/src/config/config.ts";
import { startServer } from "../apps/server/src/server.ts";

const environment = processEnvironment();
const server = await startServer(readConfig(environment), environment);
process.once("SIGTERM", async () => {
  await server.close();
  process.exit(0);
});
