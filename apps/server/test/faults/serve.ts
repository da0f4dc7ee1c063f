/**
 * A server in a process of its own, for tests that kill it: settings from the environment, its address on standard
 * output as one line of JSON, a graceful stop on SIGTERM, a start that is refused as one sentence and exit code 78.
 */
import { processEnvironment, readConfig } from "../../src/config.ts";
import { startServer } from "../../src/server.ts";

const environment = processEnvironment();
/** For the control run of the power-loss test. */
const durability = environment.TEST_DURABILITY === "off" ? "off" : "full";

try {
  const server = await startServer(readConfig(environment), environment, { durability });
  const rss = () => Math.round(process.memoryUsage.rss() / 1_048_576);
  process.stdout.write(`${JSON.stringify({ url: server.url, rss: rss() })}\n`);
  process.on("SIGUSR2", () => process.stdout.write(`${JSON.stringify({ rss: rss() })}\n`));
  process.once("SIGTERM", async () => {
    await server.close();
    process.exit(0);
  });
} catch (error) {
  console.error((error as Error).message);
  process.exit(78);
}
