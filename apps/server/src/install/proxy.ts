/**
 * Proxy rules that serve Headwater under a path of the application's own site (docs/api/install.md), so that
 * blockers of third-party hosts do not apply. The rules forward only the client and ingest, and no cookies.
 */
import type { InstallPayload } from "@headwater/contract";
import { stringLiteral } from "./escape.ts";
import { browserSnippet, type SnippetOptions } from "./snippets/browser.ts";

const TRUST = "Add this proxy to the TRUST_PROXY setting of Headwater.";

/** A URL with every character percent-encoded that a configuration language could interpret. */
const encodeForConfig = (url: string): string =>
  url.replace(/[^A-Za-z0-9:/.[\]_~%-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  );

/** `rewrites` in next.config.ts would be shorter, but they forward the cookies of the site. */
const nextjs = (
  service: string,
  path: string,
): string => `// proxy.ts, next to app/ (with Next.js 15 and older: middleware.ts, and the function is called middleware)
// If you already have this file, add the matchers and handle these paths in your function. ${TRUST}
// If next.config.ts has a basePath, do not change this file. Put the basePath before ${path} in the snippet instead:
// Next.js adds it to every matcher.
import { type NextRequest, NextResponse } from "next/server";

export const config = { matcher: ["${path}/sdk/:path*", "${path}/api/ingest/:path*"] };

export function proxy({ headers, nextUrl }: NextRequest) {
  const forwarded = new Headers(headers);
  forwarded.delete("cookie");
  const url = ${stringLiteral(service)} + nextUrl.pathname.slice(${path.length}) + nextUrl.search;
  return NextResponse.rewrite(url, { request: { headers: forwarded } });
}
`;

/** `^~` gives these locations priority over regular-expression locations, such as one for `.js` files. */
const nginx = (service: string, path: string): string => `# Put this inside the server { } block of your site.
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
  const forwarded =
    base === "" ? `strip_prefix ${path}` : `path_regexp ^${path.replaceAll(".", "\\.")} ${base}`;
  return `# Put this inside the site block of your Caddyfile.
# ${TRUST}
@headwater path ${path}/sdk/* ${path}/api/ingest/*
handle @headwater {
  uri ${forwarded}
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

const isForwarded = (path) => path.startsWith("/sdk/") || path.startsWith("/api/ingest/");

export default {
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    const path = pathname.startsWith(PATH) ? pathname.slice(PATH.length) : "";
    if (!isForwarded(path)) return fetch(request);
    const forwarded = new Request(SERVICE + path + search, request);
    forwarded.headers.delete("Cookie");
    forwarded.headers.set("X-Forwarded-For", request.headers.get("CF-Connecting-IP") ?? "");
    return fetch(forwarded);
  },
};
`;

/** @param path a path of the site that matches `SITE_PATH` of the contract, without a slash at its end */
export function proxyRules(options: SnippetOptions, path: string): InstallPayload["proxy"] {
  const service = encodeForConfig(options.apiBaseUrl);
  return {
    path,
    browserSnippet: browserSnippet({ ...options, apiBaseUrl: path }),
    nextjs: nextjs(service, path),
    nginx: nginx(service, path),
    caddy: caddy(service, path),
    cloudflare: cloudflare(service, path),
  };
}
