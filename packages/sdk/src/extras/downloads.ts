import type { Client } from "../client.ts";
import { addressOf, onLink } from "./links.ts";

const file =
  /\.(7z|apk|avi|csv|deb|dmg|docx?|epub|exe|gz|iso|jar|key|mov|mp[34]|msi|ods|odt|pdf|pkg|pptx?|rar|rpm|rtf|tar|txt|wav|webm|xlsx?|xml|zip)$/i;

/** Counts links to files that are followed, as `file_download` with their address. */
export const downloads = (client: Client): void =>
  onLink((link) => {
    if (link.hasAttribute("download") || file.test(link.pathname))
      client.track("file_download", { url: addressOf(link) });
  });
