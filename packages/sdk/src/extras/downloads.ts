import type { Client } from "../client.ts";
import { linkUrl, onLink } from "./links.ts";

const file =
  /\.(7z|apk|avi|csv|deb|dmg|docx?|epub|exe|gz|iso|jar|key|mov|mp[34]|msi|ods|odt|pdf|pkg|pptx?|rar|rpm|rtf|tar|txt|wav|webm|xlsx?|xml|zip)$/i;

/** Counts clicks on links to files as `file_download`, with the URL. */
export const downloads = (client: Client): void =>
  onLink((link) => {
    if (link.hasAttribute("download") || file.test(link.pathname))
      client.track("file_download", { url: linkUrl(link) }, { passive: true });
  });
