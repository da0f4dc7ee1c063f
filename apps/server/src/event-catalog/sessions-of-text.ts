/** Which sessions have sent a text: it is only stored once several have, so that an erasure need not search it. */
import { copyText } from "../core/text.ts";

/** Texts with the sessions that have sent them. */
export type SessionsOfText = Map<string, Set<string>>;

const MIN_SESSIONS = 3;

/** @returns how many texts were added */
export function noteSession(
  texts: SessionsOfText,
  text: string,
  sessionId: string,
  maxTexts: number,
): number {
  const sessions = texts.get(text);
  if (sessions && sessions.size < MIN_SESSIONS) sessions.add(sessionId);
  if (sessions || texts.size >= maxTexts) return 0;
  texts.set(copyText(text), new Set([sessionId]));
  return 1;
}

export const sharedTexts = (texts: SessionsOfText): string[] =>
  [...texts].filter(([, sessions]) => sessions.size >= MIN_SESSIONS).map(([text]) => text);
