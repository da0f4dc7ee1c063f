/**
 * The baseline: a bare node:http server that reads a body, parses it, and responds with as many bytes as Headwater does
 * to the same kind of request. It checks, stores and records nothing. With BENCH_REFUSAL it answers every request with
 * that body and status 503 without reading the request: the baseline of the overload part.
 */
import { createServer, type IncomingMessage } from "node:http";

/** Response bytes by the number of events in the batch; 0 is a bootstrap. */
const sizes = new Map<number, number>(JSON.parse(process.env.BENCH_ANSWERS ?? "[]") as [number, number][]);
const answers = new Map([...sizes].map(([events, bytes]) => [events, `"${"x".repeat(bytes - 2)}"`]));

function read(request: IncomingMessage, done: (text: string) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => done((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString()));
}

const refusal = process.env.BENCH_REFUSAL;

const server = createServer((request, response) => {
  if (request.method !== "POST") {
    response.end("ready");
    return;
  }
  if (refusal) {
    response.writeHead(503, { "Content-Type": "application/json", "Content-Length": refusal.length });
    response.end(refusal);
    return;
  }
  read(request, (text) => {
    const { events } = JSON.parse(text) as { events?: unknown[] };
    const answer = answers.get(events?.length ?? 0) ?? "";
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": answer.length });
    response.end(answer);
  });
});
server.listen(Number(process.env.PORT), "127.0.0.1");
process.once("SIGTERM", () => process.exit(0));
