/** For the control run of the power-loss test: the same service on a ledger that does not wait for the disk. */
import { processEnvironment, readConfig } from "../../src/config/config.ts";
import { startServer } from "../../src/server.ts";

const environment = processEnvironment();
const server = await startServer(readConfig(environment), environment, { durability: "off" });
process.stderr.write(`${JSON.stringify({ url: server.url })}\n`);
