/**
 * The service under a path of the application's own site (CONTRACT section 7), so that lists of other hosts and rules
 * for third parties do not apply. Only the client and ingest are passed on, and no cookie of the site.
 */
import type { InstallPayload } from "@headwater/contract";
import { stringLiteral } from "./escape.ts";
import { browserSnippet, type SnippetOptions } from "./snippets/browser.ts";

const TRUST = "The service counts this proxy too: add it to its TRUST_PROXY.";

/** Letters that no configuration language reads as anything else; the others as a URL may spell them. */
const plain = (url: string): string =>
  url.replace(/[^A-Za-z0-9:/.[\]_~%-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  );

/** Not `rewrites` of next.config.ts: they pass on the cookies of the site. */
const nextjs = (
  service: string,
  path: string,
): string => `// proxy.ts, beside app/ (with Next.js 15 and older: middleware.ts, and the function is called middleware)
// If you have one already, add the matchers to yours, and ask for these paths in the function. ${TRUST}
// With a basePath in next.config.ts leave this file as it is, and put the basePath before ${path} in the snippet:
// Next.js takes it for the beginning of every matcher.
import { type NextRequest, NextResponse } from "next/server";

export const config = { matcher: ["${path}/sdk/:path*", "${path}/api/ingest/:path*"] };

export function proxy({ headers, nextUrl }: NextRequest) {
  const onward = new Headers(headers);
  onward.delete("cookie");
  const url = ${stringLiteral(service)} + nextUrl.pathname.slice(${path.length}) + nextUrl.search;
  return NextResponse.rewrite(url, { request: { headers: onward } });
}
`;

/** `^~`, because a site's own rules for `.js` would take the script otherwise. */
const nginx = (service: string, path: string): string => `# Inside the server { } of your site.
# ${TRUST}
location ^~ ${path}/sdk/ {
  proxy_pass ${service}/sdk/;
  proxy_ssl_server_name on;
  proxy_set_header Cookie "";
}
location ^~ ${path}/api/ingest/ {
  proxy_pass ${service}/api/ingest/;
  proxy_ssl_server_name on;
  proxy_set_header Cookie "";
  proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
  client_max_body_size 6m;
}
`;

function caddy(service: string, path: string): string {
  const [, origin = service, base = ""] = /^(\w+:\/\/[^/]+)(.*)$/.exec(service) ?? [];
  const onward = base === "" ? `strip_prefix ${path}` : `path_regexp ^${path.replaceAll(".", "\\.")} ${base}`;
  return `# Inside the site block of your Caddyfile.
# ${TRUST}
@headwater path ${path}/sdk/* ${path}/api/ingest/*
handle @headwater {
  uri ${onward}
  reverse_proxy ${origin} {
    header_up Host {upstream_hostport}
    header_up -Cookie
  }
}
`;
}

const cloudflare = (service: string, path: string): string => `// A Worker on the route <your site>${path}/*
// ${TRUST}
const PATH = "${path}";
const SERVICE = ${stringLiteral(service)};

const isOfService = (path) => path.startsWith("/sdk/") || path.startsWith("/api/ingest/");

export default {
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    const path = pathname.startsWith(PATH) ? pathname.slice(PATH.length) : "";
    if (!isOfService(path)) return fetch(request);
    const onward = new Request(SERVICE + path + search, request);
    onward.headers.delete("Cookie");
    onward.headers.set("X-Forwarded-For", request.headers.get("CF-Connecting-IP") ?? "");
    return fetch(onward);
  },
};
`;

/** @param path of the site, without a slash at its end; its letters are those of the contract's pattern */
export function proxyRules(options: SnippetOptions, path: string): InstallPayload["proxy"] {
  const service = plain(options.apiBaseUrl);
  return {
    path,
    browserSnippet: browserSnippet({ ...options, apiBaseUrl: path }),
    nextjs: nextjs(service, path),
    nginx: nginx(service, path),
    caddy: caddy(service, path),
    cloudflare: cloudflare(service, path),
  };
}
