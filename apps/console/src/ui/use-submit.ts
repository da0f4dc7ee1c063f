import type { FormEvent } from "react";
import { useOnce } from "./use-once.ts";

/**
 * What a form does when it is sent, once at a time.
 * @param send what fails is told by what it calls, and not here
 */
export function useSubmit(send: () => unknown): (event: FormEvent) => Promise<void> {
  const sendOnce = useOnce(send);
  return (event) => {
    event.preventDefault();
    return sendOnce();
  };
}
