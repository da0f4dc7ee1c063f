/** A server of pages that try to stop whoever reads them. */
import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** The largest page that is read. */
const PAGE_BYTES = 5_242_880;
const fill = (text: string, bytes = PAGE_BYTES - 1_000): string =>
  text.repeat(Math.floor(bytes / text.length));

function manyAttributes(): string {
  const parts = ["<p"];
  for (let bytes = 2, index = 0; bytes < PAGE_BYTES - 1_000; index += 1) {
    const part = ` a${index}=${index}`;
    parts.push(part);
    bytes += part.length;
  }
  return `${parts.join("")}>`;
}

/** HTML of up to 5 MB, by what it is made of. */
const TEXTS: Readonly<Record<string, () => string>> = {
  "unclosed formatting elements": () => `<p>${"<b id=i>".repeat(4_000)}</p>${fill("<p>x", 5_000_000)}`,
  "deep nesting": () => fill("<div>"),
  "5 MB of attributes": manyAttributes,
  "the same attribute again and again": () => `<script ${fill("src=a ")}></script>`,
  "100,000 scripts": () => "<script>1</script>".repeat(100_000),
  "100,000 script files": () => fill('<script src="/endless.js"></script>', 3_600_000),
  "100,000 snippets": () => fill('<script src="/sdk/v2.js"></script>', 3_400_000),
  "a million <meta>": () => "<meta>".repeat(870_000),
  "policies without end": () =>
    `<meta http-equiv="content-security-policy" content="${fill("script-src a;", 65_000)}">`.repeat(79),
  "an unclosed comment": () => `<!--${fill("<!-- -")}`,
  "unclosed CDATA": () => fill("<![CDATA[ ]]"),
  "an unclosed script": () => `<script>${fill("</scrip")}`,
  "an unclosed attribute": () => `<a title="${fill("<&amp")}`,
  "entities without end": () => fill("&amp;&#x"),
  "templates in templates": () => fill("<template>"),
  "SVG in SVG": () => fill("<svg><title/>"),
  "streamed data with escapes": () => `<script>self.__next_f.push("${fill('\\"')}")</script>`,
  "a script of quotes": () => `<script>__next_f /sdk/v2.js${fill('"pk_')}</script>`,
  "slashes without end": () =>
    `<script src="${fill("/")}/sdk/v2.js"></script><base href="${"/".repeat(8_000)}x">`,
};

const html = (response: ServerResponse, headers: Record<string, string | string[]> = {}) =>
  response.writeHead(200, { "content-type": "text/html", ...headers });

/** Pages whose transport is hostile. */
const ANSWERS: Readonly<Record<string, RequestListener>> = {
  "an endless body": (_, response) => {
    html(response);
    const more = () => {
      while (response.write(Buffer.alloc(65_536, "<p>")));
      response.once("drain", more);
    };
    more();
  },
  "a body of one byte": (_, response) => void html(response).write("<"),
  "no answer": () => undefined,
  "headers of 100 kB": (_, response) => void html(response, { "x-long": "a".repeat(100_000) }).end(),
  "10,000 headers": (_, response) =>
    void html(
      response,
      Object.fromEntries(Array.from({ length: 10_000 }, (__, at) => [`x${at}`, "a"])),
    ).end(),
  "a gzip bomb": (_, response) =>
    void html(response, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(50_000_000))),
  "a redirect to itself": ({ url = "" }, response) => void response.writeHead(302, { location: url }).end(),
  "a redirect with a long address": (_, response) =>
    void response.writeHead(302, { location: `/${"a".repeat(60_000)}` }).end(),
};

export const HOSTILE_PAGES = [...Object.keys(TEXTS), ...Object.keys(ANSWERS)];

export interface HostileSite extends Disposable {
  readonly url: string;
  pageUrl(name: string): string;
}

export async function startHostileSite(): Promise<HostileSite> {
  const texts = new Map<string, Buffer>();
  const textOf = (name: string): Buffer | undefined => {
    const made = texts.get(name) ?? (TEXTS[name] && Buffer.from(TEXTS[name]()));
    if (made) texts.set(name, made);
    return made;
  };
  const server = createServer({ maxHeaderSize: 1_048_576 }, (request, response) => {
    const name = decodeURIComponent(request.url?.slice(1) ?? "");
    const answer = ANSWERS[name] ?? (name.endsWith(".js") ? ANSWERS["an endless body"] : undefined);
    if (answer) return answer(request, response);
    const text = textOf(name);
    if (text) html(response).end(text);
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    pageUrl: (name) => {
      // a page is made before it is measured
      textOf(name);
      return `${url}/${encodeURIComponent(name)}`;
    },
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
