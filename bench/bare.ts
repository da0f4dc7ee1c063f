/**
 * The floor: a bare node:http server that reads a body, parses it, and answers as many bytes as Headwater
 * answered to such a request. Nothing is checked, stored or recorded. Or, with BENCH_REFUSAL, that answers each request
 * with this 503 at once and looks at nothing: the floor of an overload.
 */
import { createServer, type IncomingMessage } from "node:http";

/** Bytes of an answer by the number of events; 0: a bootstrap. */
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
