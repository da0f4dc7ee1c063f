import type { Client } from "../client.ts";
import { linkUrl, onLink } from "./links.ts";

/** Sends an `outbound_link` event when a link to another host is clicked. Its `url` has no query and no fragment. */
export const outboundLinks = (client: Client): void =>
  onLink((link) => {
    if (link.host !== location.host) client.track("outbound_link", { url: linkUrl(link) }, { passive: true });
  });
