/** Colours the code of snippets. One pattern serves HTML, JavaScript, shell commands and server rules: a hint, not a parser. */
import type { ReactNode } from "react";

const TOKENS =
  /(?<comment>\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->|(?<![:\w"'])\/\/[^\n]*|^\s*#[^\n]*)|(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|(?<tag><\/?[A-Za-z][\w.]*|\/?>)|(?<keyword>\b(?:import|export|from|const|let|function|return|if|else|new|async|await|default|location|proxy_pass|curl)\b)/gm;

/** Text with spans for comments, strings, tags and keywords. */
export function highlight(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    const [token] = match;
    const kind = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined)?.[0];
    parts.push(
      text.slice(end, match.index),
      <span key={match.index} className={`code-${kind}`}>
        {token}
      </span>,
    );
    end = match.index + token.length;
  }
  return [...parts, text.slice(end)];
}
