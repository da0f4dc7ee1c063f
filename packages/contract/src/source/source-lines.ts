/**
 * What a line of a source's lists may be. The schemas and the console share this file, so no schema library is imported here.
 */
import { LIMITS } from "../limits.ts";

export const PATH_PATTERN = "^/[^\\s?#]*$";
/** In it, `**` can be used once. */
export const PAGE_PATTERN = "^/(?:\\*?[^\\s?#*])*(?:\\*\\*(?:[^\\s?#*]\\*?)*|\\*)?$";
export const PARAMETER_NAME = "^[^\\s&=?#*]+\\*?$";

const [path, page, parameter] = [PATH_PATTERN, PAGE_PATTERN, PARAMETER_NAME].map(
  (pattern) => new RegExp(pattern, "u"),
) as [RegExp, RegExp, RegExp]; // as many as there are patterns

export const isPathPattern = (text: string): boolean =>
  path.test(text) && text.length <= LIMITS.maxPathPatternLength;
export const isPagePattern = (text: string): boolean =>
  page.test(text) && text.length <= LIMITS.maxPathPatternLength;
export const isParameterName = (text: string): boolean =>
  parameter.test(text) && text.length <= LIMITS.maxParameterLength;

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const IPV6 = /^[\da-f:]+$/i;

/** Whether text is an IP address or a CIDR range, without a zone or an IPv4 address at the end of an IPv6 address. */
export function isAddressRange(text: string): boolean {
  const [address = "", bits = "0", ...rest] = text.split("/");
  const isIpv4 = IPV4.test(address);
  if (!isIpv4 && !(IPV6.test(address) && URL.canParse(`http://[${address}]`))) return false;
  return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (isIpv4 ? 32 : 128);
}
