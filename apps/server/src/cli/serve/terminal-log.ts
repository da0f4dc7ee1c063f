/** Log lines for a person at a terminal: warnings and errors as text. Elsewhere, and with LOG_LEVEL, lines are JSON. */

interface LogEntry {
  level: number;
  msg: string;
  err?: { message: string };
}

const WARNING_LEVEL = 40;
const ERROR_LEVEL = 50;

/** @returns null for a line that nobody needs to read */
export function renderLogLine(line: string): string | null {
  const { level, msg, err }: LogEntry = JSON.parse(line);
  if (level < WARNING_LEVEL) return null;
  const cause = err === undefined || msg.includes(err.message) ? "" : `: ${err.message}`;
  return `${level < ERROR_LEVEL ? "Warning" : "Error"}: ${msg}${cause}`;
}
