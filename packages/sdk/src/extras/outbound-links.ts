import type { Client } from "../client.ts";
import { linkUrl, onLink } from "./links.ts";

/** Counts clicks on links to other hosts as `outbound_link`, with the URL. */
export const outboundLinks = (client: Client): void =>
  onLink((link) => {
    if (link.host !== location.host) client.track("outbound_link", { url: linkUrl(link) });
  });
