import type { Client } from "../client.ts";
import { addressOf, onLink } from "./links.ts";

/** Counts links to other hosts that are followed, as `outbound_link` with their address. */
export const outboundLinks = (client: Client): void =>
  onLink((link) => {
    if (link.host !== location.host) client.track("outbound_link", { url: addressOf(link) });
  });
