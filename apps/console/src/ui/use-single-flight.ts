import { useRef } from "react";

/**
 * Does something once at a time, also for two presses before the page has drawn the first one.
 * @param work what fails is told by what it calls, and not here
 */
export function useSingleFlight(work: () => unknown): () => Promise<void> {
  const isUnderWay = useRef(false);
  return async () => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    try {
      await work();
    } catch {
      // the mutation has it
    } finally {
      isUnderWay.current = false;
    }
  };
}
