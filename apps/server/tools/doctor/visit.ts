/** Fetches a page as its visitors get it, within bounds: time, redirects, bytes. No script of it runs. */

import type { PageSnippet } from "@headwater/contract";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import { readPage, snippetInScript } from "../../src/doctor/read-page.ts";
import { InnerAddress } from "./address-guard.ts";
import type { Ask } from "./ask.ts";

export interface Visited {
  /** Where the redirects ended. */
  readonly url: string;
  /** Why there is nothing to look at, as the end of a sentence; null: there is. */
  readonly problem: string | null;
  readonly snippets: PageSnippet[];
  readonly policies: string[];
  readonly isPolicyLeftOut: boolean;
}

const REDIRECTS = [301, 302, 303, 307, 308];

/** What the network says of itself, in a word. */
export function networkProblem(error: unknown): string {
  const { name, code, message } = error as Error & { code?: string };
  if (error instanceof InnerAddress) return `is not asked: ${message}`;
  if (name === "TimeoutError") return `did not answer within ${SERVER_LIMITS.doctorTimeoutMs / 1_000} s`;
  return `cannot be reached (${code ?? message})`;
}

/** Reads no more than so many bytes; null: there were more. */
export async function readBounded(response: Response, mostBytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  // leaving the loop cancels what is still to come
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > mostBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

interface Landed {
  readonly url: string;
  readonly response: Response;
}

/** One after the other and counted, because the page's origin is that of the last. */
async function follow(start: string, ask: Ask): Promise<Landed | { url: string; problem: string }> {
  let url = start;
  for (let hop = 0; hop <= SERVER_LIMITS.doctorRedirects; hop += 1) {
    const response = await ask(url, { headers: { Accept: "text/html,*/*;q=0.8" } });
    const location = response.headers.get("location");
    if (!REDIRECTS.includes(response.status) || location === null) return { url, response };
    await response.body?.cancel();
    const next = URL.parse(location, url);
    if (!next || !/^https?:$/.test(next.protocol)) return { url, problem: `redirects to ${location}` };
    url = next.href;
  }
  return { url, problem: `redirects more than ${SERVER_LIMITS.doctorRedirects} times` };
}

/** The client within the application's own scripts, where the page itself shows none. */
async function snippetsInScripts(scripts: readonly string[], ask: Ask): Promise<PageSnippet[]> {
  for (const url of scripts) {
    const response = await ask(url).catch(() => null);
    if (!response?.ok) await response?.body?.cancel();
    const code = response?.ok
      ? await readBounded(response, SERVER_LIMITS.doctorScriptBytes).catch(() => null)
      : null;
    const found = code === null ? null : snippetInScript(code);
    if (found) return [found];
  }
  return [];
}

const nothing = (url: string, problem: string): Visited => ({
  url,
  problem,
  snippets: [],
  policies: [],
  isPolicyLeftOut: false,
});

export async function visit(start: string, ask: Ask): Promise<Visited> {
  try {
    const landed = await follow(start, ask);
    if ("problem" in landed) return nothing(landed.url, landed.problem);
    const { url, response } = landed;
    if (!response.ok) {
      await response.body?.cancel();
      return nothing(url, `answers ${response.status}`);
    }
    const html = await readBounded(response, SERVER_LIMITS.doctorPageBytes);
    if (html === null) return nothing(url, `is larger than ${SERVER_LIMITS.doctorPageBytes} bytes`);
    const page = readPage(html, url);
    const header = response.headers.get("content-security-policy");
    const snippets = page.snippets.length > 0 ? page.snippets : await snippetsInScripts(page.scripts, ask);
    return {
      url,
      problem: null,
      snippets,
      policies: [...(header === null ? [] : [header]), ...page.policies],
      isPolicyLeftOut: page.isPolicyLeftOut,
    };
  } catch (error) {
    return nothing(start, networkProblem(error));
  }
}
