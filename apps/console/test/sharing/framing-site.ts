/** A site of another origin that shows a page of the console in a frame, with the code that the console gives for it. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { toEmbedCode } from "../../src/pages/stats/sharing/embed-code.ts";

/** @param framed returns the address in the frame. @returns the origin of the site */
export async function openFramingSite(t: TestContext, framed: () => string): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(`<!doctype html><title>Site</title>${toEmbedCode(framed())}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
