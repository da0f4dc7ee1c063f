import { getPriority, setPriority } from "node:os";
import { messageOf } from "../core/errors.ts";

/**
 * Sets the priority of this process, on Linux of the calling thread. It runs with the old one where a sandbox forbids the
 * call, as systemd's `SystemCallFilter=~@resources` does.
 * @returns why it was refused; null when it was not
 */
export function trySetPriority(priority: number): string | null {
  try {
    setPriority(priority);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Why this process and its children may not change their priority; null when they may. */
export const priorityRefusal = (): string | null => trySetPriority(getPriority());
