/** The addresses of the service, for commands that run beside it. */
import { addressesOf } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import { CommandFailed } from "./errors.ts";

/** With PORT 0 only the running service knows its port. @throws CommandFailed */
export function publicAddresses(config: Config) {
  if (config.BASE_URL === null && config.PORT === 0)
    throw new CommandFailed("The address of the service is unknown because PORT is 0. Set BASE_URL.");
  return addressesOf(config, config.PORT);
}
