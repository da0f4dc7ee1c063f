/**
 * Cuts a body that is too large for a snapshot: keeps its envelope and its first events. It scans the text, because parsing
 * a body of 512 KB for a snapshot of 16 KB would take milliseconds.
 */
import { stringEnd } from "../masking/nesting.ts";

/** Members after `events` are searched in this many characters at the end of the body. */
const TAIL_LENGTH = 4_096;
const TAIL_TRIES = 16;
/** Characters of the first event that are kept as text if the event does not fit. The word at its end is kept whole: it may be an e-mail address. */
const HEAD_LENGTH = 4_096;
const MAX_WORD_LENGTH = 512;

/** Where the events of a body start, and the end of each event in the scanned part. */
interface EventOffsets {
  start: number;
  ends: number[];
}

/**
 * @returns a JSON text of at most `limitBytes`; null if there is no such cut: the start of the text has no array `events`, the
 *   cut would be larger than the limit, or it is not JSON
 */
export function cutBody(text: string, limitBytes: number): string | null {
  // a character takes at least one byte, so the limit in bytes is enough
  const events = findEvents(text, limitBytes);
  if (events === null) return null;
  const tail = `]${membersAfterEvents(text, events.start)}`;
  const cut = prefixWithEvents(text, events, limitBytes - Buffer.byteLength(tail)) + tail;
  return Buffer.byteLength(cut) <= limitBytes && isJson(cut) ? cut : null;
}

/** Searches the first `maxChars` characters for the top-level member `events`. */
function findEvents(text: string, maxChars: number): EventOffsets | null {
  const stop = Math.min(maxChars, text.length);
  let events: EventOffsets | null = null;
  let depth = 0;
  let index = 0;
  while (index < stop) {
    const char = text.charAt(index);
    if (char === '"') {
      const end = stringEnd(text, index);
      const start: number = events === null && depth === 1 ? arrayAfterKey(text, index, end) : -1;
      if (start !== -1) events = { start, ends: [] };
      index = end;
      continue;
    }
    if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
    index++;
    if (events === null || index <= events.start) continue;
    // depth 2 is inside the array; back at 1, the array is closed
    if (depth === 1) return events;
    if (depth === 2 && char === "}") events.ends.push(index);
  }
  return events;
}

/** The index after the opening bracket, if the string from `start` to `end` is the key `events`. Otherwise -1. */
function arrayAfterKey(text: string, start: number, end: number): number {
  if (text.slice(start, end) !== '"events"') return -1;
  const opening = /\s{0,100}:\s{0,100}\[/y;
  opening.lastIndex = end;
  return opening.test(text) ? opening.lastIndex : -1;
}

/** The body up to the last event that fits. If none fits, with the start of the first one as a string. */
function prefixWithEvents(text: string, events: EventOffsets, bytes: number): string {
  let low = 0;
  let high = events.ends.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (Buffer.byteLength(text.slice(0, events.ends[middle - 1])) <= bytes) low = middle;
    else high = middle - 1;
  }
  if (low > 0) return text.slice(0, events.ends[low - 1]);
  const cutAt = events.start + HEAD_LENGTH;
  const rest = text.slice(cutAt, cutAt + MAX_WORD_LENGTH).search(/[\s"]|$/);
  const head = text.slice(events.start, cutAt + rest).trimStart();
  return text.slice(0, events.start) + (head.startsWith("{") ? JSON.stringify(head.toWellFormed()) : "");
}

/**
 * The members after the events, with the closing brace. The bracket that closes the events is the first one that is followed
 * by the valid rest of an object; later ones close other members of the body.
 */
function membersAfterEvents(text: string, eventsStart: number): string {
  const tail = text.slice(Math.max(eventsStart, text.length - TAIL_LENGTH));
  let members = "}";
  let bracket = tail.lastIndexOf("]");
  for (let tries = 0; bracket !== -1 && tries < TAIL_TRIES; tries++) {
    const rest = tail.slice(bracket + 1);
    if (/^\s*[,}]/.test(rest) && isJson(`{"":0${rest}`)) members = rest;
    bracket = bracket === 0 ? -1 : tail.lastIndexOf("]", bracket - 1);
  }
  return members;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
