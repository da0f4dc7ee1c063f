/** A parser of server-sent events. */
interface ServerSentEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

function parseFrame(text: string): ServerSentEvent | null {
  let id: string | null = null;
  let event = "message";
  const data: string[] = [];
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    // a line that starts with a colon is a comment, which the API sends as a heartbeat
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, "");
    const field = line.slice(0, colon);
    if (field === "id") id = value;
    else if (field === "event") event = value;
    else if (field === "data") data.push(value);
  }
  return data.length === 0 ? null : { id, event, data: data.join("\n") };
}

/** Parses a stream of text chunks. An event may be spread over several chunks. */
export async function* parseEventStream(pieces: AsyncIterable<string>): AsyncGenerator<ServerSentEvent> {
  let rest = "";
  for await (const piece of pieces) {
    rest += piece;
    const texts = rest.split("\n\n");
    rest = texts.pop()!;
    for (const text of texts) {
      const frame = parseFrame(text);
      if (frame) yield frame;
    }
  }
}
