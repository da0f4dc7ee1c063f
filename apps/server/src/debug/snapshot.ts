/** Snapshots of bodies for the debug view: masked before anything is written, and cut to a limit as valid JSON. */
import { SERVER_LIMITS } from "../core/limits.ts";
import { maskJson, maskText } from "../masking/mask.ts";
import { nestsDeeply } from "../masking/nesting.ts";
import { cutBody, isJson } from "./cut.ts";

/** `json` is a valid JSON text. */
export interface Snapshot {
  json: string;
  truncated: boolean;
}

const NOTHING: Snapshot = { json: "null", truncated: false };
/** Characters after the head that are masked too: an e-mail address can start in the head and end after it. */
const MASKED_AFTER_HEAD = 512;

/**
 * The snapshot of a JSON text in at most `limitBytes`: its envelope and as many of the first events as fit. A text that
 * nests too deeply, or turns out not to be JSON, is kept as the head of a text.
 */
export function snapshotOf(text: string, limitBytes: number): Snapshot {
  const fits = bytesFit(text, limitBytes);
  const kept = fits ? text : cutBody(text, limitBytes);
  if (kept === null || nestsDeeply(kept)) return snapshotOfText(text);
  const masked = maskJson(kept);
  if (masked === null) return snapshotOfText(text);
  if (masked === kept || bytesFit(masked, limitBytes)) return { json: masked, truncated: !fits };
  // masking can make a text longer, so it may have to be cut again
  const json = cutBody(masked, limitBytes);
  return json === null ? snapshotOfText(text) : { json, truncated: true };
}

/** The snapshot of a text that may not be JSON. */
export function snapshotOfUnknown(text: string, limitBytes: number): Snapshot {
  return bytesFit(text, limitBytes) && !isJson(text) ? snapshotOfText(text) : snapshotOf(text, limitBytes);
}

/** The head of a text that is not JSON, as a JSON string. */
export function snapshotOfText(text: string, limitBytes: number = SERVER_LIMITS.rawTextBytes): Snapshot {
  const masked = maskText(text.slice(0, limitBytes + MASKED_AFTER_HEAD));
  const head = headOf(masked, limitBytes);
  return { json: JSON.stringify(head), truncated: text.length > limitBytes || head.length < masked.length };
}

/** A JSON array of as many of the first items as fit. null stands for an event without a normal form. */
export function snapshotOfList(items: readonly (string | null)[], limitBytes: number): Snapshot {
  const kept: string[] = [];
  let left = limitBytes - 2;
  let truncated = false;
  for (const item of items) {
    const snapshot = item === null ? NOTHING : snapshotOf(item, limitBytes);
    left -= Buffer.byteLength(snapshot.json) + 1;
    truncated ||= snapshot.truncated || left < 0;
    if (left < 0) break;
    kept.push(snapshot.json);
  }
  return { json: `[${kept.join()}]`, truncated };
}

/** The first whole characters of a text that fit into this many bytes. */
export function headOf(text: string, bytes: number): string {
  const head = text.slice(0, bytes).toWellFormed();
  if (Buffer.byteLength(head) <= bytes) return head;
  const decoder = new TextDecoder("utf-8");
  return decoder.decode(Buffer.from(head).subarray(0, bytes), { stream: true });
}

/** Whether a text has at most this many bytes of UTF-8. Usually its length decides, without counting bytes. */
function bytesFit(text: string, bytes: number): boolean {
  if (text.length > bytes) return false;
  return text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes;
}
