/** The process under test for parts that do not start `headwater serve`: the server without the command line. */
import { processEnvironment, readConfig } from "../apps/server/src/config/config.ts";
import { startServer } from "../apps/server/src/server.ts";

const environment = processEnvironment();
const server = await startServer(readConfig(environment), environment);
process.once("SIGTERM", async () => {
  await server.close();
  process.exit(0);
});
