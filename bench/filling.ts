/** Templates of bodies.ts as buffers, whose ids and times are written before each sending. */
import { readFileSync } from "node:fs";
import { ID_LENGTH, ID_MARK, idPrefix, SENT_AT_LENGTH, SENT_AT_MARK, unfolded } from "./bodies.ts";

interface Form {
  bytes: Buffer;
  ids: number[];
  times: number[];
}

const MARKS = new RegExp(`([${ID_MARK}${SENT_AT_MARK}])`);
const CLOCK_MS = 10;

function formOf(line: string): Form {
  const form: Form = { bytes: Buffer.alloc(0), ids: [], times: [] };
  const parts: Buffer[] = [];
  let at = 0;
  for (const part of unfolded(line).split(MARKS)) {
    const slots = part === ID_MARK ? form.ids : part === SENT_AT_MARK ? form.times : null;
    slots?.push(at);
    const bytes = slots ? Buffer.alloc(part === ID_MARK ? ID_LENGTH : SENT_AT_LENGTH) : Buffer.from(part);
    parts.push(bytes);
    at += bytes.length;
  }
  form.bytes = Buffer.concat(parts);
  return form;
}

export interface Filling {
  /** The next request, in a buffer of its own: the kernel may take it later than the template is filled anew. */
  next(): Buffer;
}

export function createFilling(file: string): Filling {
  const forms = readFileSync(file, "utf8").trimEnd().split("\n").map(formOf);
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
      const { bytes, ids, times } = forms[turn]!;
      turn = (turn + 1) % forms.length;
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
