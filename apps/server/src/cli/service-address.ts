/** The addresses of the service, for commands that run beside it. */
import { localUrl } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import { CommandFailed } from "./errors.ts";

/** With PORT 0 only the running service knows its port. @throws CommandFailed */
function baseUrlOf({ BASE_URL, HOST, PORT }: Config): string {
  if (BASE_URL !== null) return BASE_URL;
  if (PORT !== 0) return localUrl(HOST, PORT);
  throw new CommandFailed("The address of the service is unknown because PORT is 0. Set BASE_URL.");
}

/** The addresses that visitors and people at the console reach. @throws CommandFailed */
export function publicAddresses(config: Config) {
  const baseUrl = baseUrlOf(config);
  return { baseUrl, appUrl: config.APP_URL ?? baseUrl, alias: config.INGEST_ALIAS };
}
