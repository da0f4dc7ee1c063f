/** Fetches a page as its visitors get it, within limits of time, redirects and bytes. Its scripts do not run. */
import type { PageSnippet } from "@headwater/contract";
import { messageOf, systemCode } from "../core/errors.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { ForbiddenAddressError } from "./address-guard.ts";
import { type FetchedPage, NOT_REQUESTED, unreadPage } from "./evidence.ts";
import { findSnippetInScript, readPage } from "./read-page.ts";
import type { SendRequest } from "./send-request.ts";

const DOCTOR_REDIRECTS = 5;
const DOCTOR_PAGE_BYTES = 5_242_880;
const DOCTOR_SCRIPT_BYTES = 3_145_728;

const REDIRECTS = [301, 302, 303, 307, 308];

/** Why a request failed, such as `did not answer within 10 s`. */
export function describeNetworkError(error: unknown): string {
  if (error instanceof ForbiddenAddressError) return `${NOT_REQUESTED}: ${error.message}`;
  if (error instanceof Error && error.name === "TimeoutError")
    return `did not respond within ${SERVER_LIMITS.doctorTimeoutMs / 1_000} s`;
  return `cannot be reached (${systemCode(error) ?? messageOf(error)})`;
}

/** @returns null when the body is larger than `maxBytes` */
export async function readBody(response: Response, maxBytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // leaving the loop cancels the rest of the body
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

type FollowedUrl = { url: string; response: Response } | { url: string; problem: string };

/** Follows redirects. The checks use the origin of the last address. */
async function followRedirects(start: string, send: SendRequest): Promise<FollowedUrl> {
  let url = start;
  for (let hop = 0; hop <= DOCTOR_REDIRECTS; hop += 1) {
    const response = await send(url, { headers: { Accept: "text/html,*/*;q=0.8" } });
    const location = response.headers.get("location");
    if (!REDIRECTS.includes(response.status) || location === null) return { url, response };
    await response.body?.cancel();
    const next = URL.parse(location, url);
    if (!next || !/^https?:$/.test(next.protocol)) return { url, problem: `redirects to ${location}` };
    url = next.href;
  }
  return { url, problem: `redirects more than ${DOCTOR_REDIRECTS} times` };
}

/** Requests the page's script files one after the other, until one contains the client. */
async function findSnippetInFiles(scripts: readonly string[], send: SendRequest): Promise<PageSnippet[]> {
  for (const url of scripts) {
    const response = await send(url).catch(() => null);
    if (!response?.ok) {
      await response?.body?.cancel();
      continue;
    }
    const code = await readBody(response, DOCTOR_SCRIPT_BYTES).catch(() => null);
    const snippet = code === null ? null : findSnippetInScript(code);
    if (snippet) return [snippet];
  }
  return [];
}

export async function fetchPage(start: string, send: SendRequest): Promise<FetchedPage> {
  try {
    const followed = await followRedirects(start, send);
    if ("problem" in followed) return unreadPage(followed.url, followed.problem);
    const { url, response } = followed;
    if (!response.ok) {
      await response.body?.cancel();
      return unreadPage(url, `responds with ${response.status}`);
    }
    const html = await readBody(response, DOCTOR_PAGE_BYTES);
    if (html === null) return unreadPage(url, `is larger than ${DOCTOR_PAGE_BYTES} bytes`);
    const page = readPage(html, url);
    const header = response.headers.get("content-security-policy");
    return {
      url,
      problem: null,
      snippets: page.snippets.length > 0 ? page.snippets : await findSnippetInFiles(page.scripts, send),
      policies: [...(header === null ? [] : [header]), ...page.policies],
      hasUnreadPolicy: page.hasUnreadPolicy,
    };
  } catch (error) {
    return unreadPage(start, describeNetworkError(error));
  }
}
