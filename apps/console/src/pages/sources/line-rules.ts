/** The rules of lists with one entry per line, and what the form says when a line breaks one. */
import { parseChannelRule } from "@headwater/contract/channels";
import { parseContentGroup } from "@headwater/contract/goal-text";
import {
  isAddressRange,
  isPagePattern,
  isParameterName,
  isPathPattern,
} from "@headwater/contract/source-lines";
import type { CheckLine } from "./lines.ts";

/** The error that forms show for a path that the API refuses. */
export const PATH_RULE = "A path starts with / and contains no spaces, ? or #. Use * as a wildcard.";
export const CHANNEL_RULE =
  "Write a rule as referrer=pattern -> source | channel. Instead of referrer, you can use source, medium or campaign. A hyphen keeps the detected source or channel.";
export const GROUP_RULE = "Write a group as Name=/path; /other/path. Each path starts with /.";

const rule =
  (accepts: (line: string) => boolean, text: string): CheckLine =>
  (line) =>
    accepts(line) ? null : text;

export const checkPath = rule(isPathPattern, PATH_RULE);
export const checkPage = rule(
  isPagePattern,
  "A path starts with / and contains no spaces, ? or #. Use ** at most once.",
);
export const checkParameter = rule(
  isParameterName,
  "A name contains no spaces, &, =, ? or #. Use * only at the end.",
);
export const checkAddress = rule(
  isAddressRange,
  "Enter an IP address, or a range such as 203.0.113.0/24 or 2001:db8::/48.",
);
export const checkChannel = rule((line) => parseChannelRule(line) !== null, CHANNEL_RULE);
export const checkGroup = rule(
  (line) => parseContentGroup(line)?.paths.every(isPathPattern) ?? false,
  GROUP_RULE,
);
