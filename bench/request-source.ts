/** Keeps the templates of bodies.ts as buffers and writes new ids and times into them before each request. */
import { readFileSync } from "node:fs";
import { ID_LENGTH, ID_MARK, idPrefix, SENT_AT_LENGTH, SENT_AT_MARK, toRequestText } from "./bodies.ts";

interface RequestTemplate {
  bytes: Buffer;
  ids: number[];
  times: number[];
}

const MARKS = new RegExp(`([${ID_MARK}${SENT_AT_MARK}])`);
const CLOCK_MS = 10;

function parseTemplate(line: string): RequestTemplate {
  const template: RequestTemplate = { bytes: Buffer.alloc(0), ids: [], times: [] };
  const parts: Buffer[] = [];
  let at = 0;
  for (const part of toRequestText(line).split(MARKS)) {
    const slots = part === ID_MARK ? template.ids : part === SENT_AT_MARK ? template.times : null;
    slots?.push(at);
    const bytes = slots ? Buffer.alloc(part === ID_MARK ? ID_LENGTH : SENT_AT_LENGTH) : Buffer.from(part);
    parts.push(bytes);
    at += bytes.length;
  }
  template.bytes = Buffer.concat(parts);
  return template;
}

export interface RequestSource {
  /** The next request, in a new buffer, because the template may be filled again before the kernel has sent the bytes. */
  next(): Buffer;
}

export function createRequestSource(file: string): RequestSource {
  const templates = readFileSync(file, "utf8").trimEnd().split("\n").map(parseTemplate);
  const prefix = idPrefix();
  let turn = 0;
  let serial = 0;
  let sentAt = "";
  let readAt = 0;

  const timeNow = () => {
    const now = Date.now();
    if (now - readAt >= CLOCK_MS) {
      readAt = now;
      sentAt = new Date(now).toISOString();
    }
    return sentAt;
  };

  return {
    next() {
      const { bytes, ids, times } = templates[turn]!;
      turn = (turn + 1) % templates.length;
      for (const slot of ids) {
        serial += 1;
        bytes.write(prefix + serial.toString(16).padStart(12, "0"), slot, "latin1");
      }
      const time = timeNow();
      for (const slot of times) bytes.write(time, slot, "latin1");
      return Buffer.from(bytes);
    },
  };
}
