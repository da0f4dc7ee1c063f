import { type FormEvent, useRef } from "react";

/**
 * What a form does when it is sent: once at a time, also for two presses before the page has drawn the first one.
 * @param send what fails is told by what it calls, and not here
 */
export function useSubmit(send: () => unknown): (event: FormEvent) => Promise<void> {
  const isUnderWay = useRef(false);
  return async (event) => {
    event.preventDefault();
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    try {
      await send();
    } catch {
      // the mutation has it
    } finally {
      isUnderWay.current = false;
    }
  };
}
