/** Lines of texts: where a member is in a JSON text, and where an event is mentioned in source code. Pure. */

type MemberPath = readonly (string | number)[];

const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

export const lineAtOffset = (text: string, offset: number): number =>
  text.slice(0, offset).split("\n").length;

/**
 * The line of the member that the path names. If the text has no such member: the line of the last member on the way to it.
 * @param text valid JSON
 */
export function lineOfMember(text: string, path: MemberPath): number {
  const stack: (string | number | null)[] = [];
  let found = { depth: 0, offset: 0 };
  const note = (offset: number) => {
    const isOnTheWay = stack.every((key, depth) => String(key) === String(path[depth]));
    if (isOnTheWay && stack.length > found.depth) found = { depth: stack.length, offset };
  };
  for (const { 0: token, index } of text.matchAll(JSON_TOKEN)) {
    const top = stack.length - 1;
    const key = stack[top];
    if (token === "}" || token === "]") stack.pop();
    else if (token === "," && top >= 0) stack[top] = typeof key === "number" ? key + 1 : null;
    else if (token === ":" || token === ",") continue;
    else if (key === null) {
      stack[top] = JSON.parse(token);
      note(index);
    } else {
      if (typeof key === "number") note(index);
      if (token === "{") stack.push(null);
      if (token === "[") stack.push(0);
    }
  }
  return lineAtOffset(text, found.offset);
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** Lines after the name of an event in which its properties are searched. */
const CALL_LINES = 20;

/**
 * The line of a call that names the event, or of the property in it.
 * @param property null: the call itself
 * @returns null: the code does not mention the event
 */
export function lineOfCall(code: string, event: string, property: string | null): number | null {
  const mentions = ['"', "'", "`"]
    .map((quote) => code.indexOf(quote + event + quote))
    .filter((at) => at >= 0);
  if (mentions.length === 0) return null;
  const call = lineAtOffset(code, Math.min(...mentions));
  if (property === null) return call;
  const lines = code.split("\n").slice(call - 1, call - 1 + CALL_LINES);
  const word = new RegExp(`(?<![\\w$])${escapePattern(property)}(?![\\w$])`);
  const at = lines.findIndex((line) => word.test(line));
  return at === -1 ? call : call + at;
}
