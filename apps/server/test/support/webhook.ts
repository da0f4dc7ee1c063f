/** A receiver of the operator's webhook. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface WebhookRequest {
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  body: any;
}

export interface Webhook extends AsyncDisposable {
  url: string;
  /** What was received of a source, the oldest first. */
  of(source: { sourceId: string }): WebhookRequest[];
  /** The `type` of each. */
  typesOf(source: { sourceId: string }): string[];
  /** Answers the next requests with these; others with 204. */
  answer(statuses: number[]): void;
}

export async function openWebhook(): Promise<Webhook> {
  const received: WebhookRequest[] = [];
  let answers: number[] = [];
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString("utf8");
    received.push({ headers: request.headers, text, body: JSON.parse(text) });
    const status = answers.shift() ?? 204;
    response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const of: Webhook["of"] = ({ sourceId }) =>
    received.filter(({ body }) => body.source.sourceId === sourceId);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=hidden`,
    of,
    typesOf: (source) => of(source).map(({ body }) => body.type),
    answer: (statuses) => {
      answers = statuses;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
