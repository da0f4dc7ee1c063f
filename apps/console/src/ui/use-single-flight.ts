import { useRef } from "react";

/**
 * Wraps an action so that calls during a running one are ignored, even two clicks before React renders again.
 * @param action its errors are ignored here: the mutation inside it reports them
 */
export function useSingleFlight(action: () => unknown): () => Promise<void> {
  const isRunning = useRef(false);
  return async () => {
    if (isRunning.current) return;
    isRunning.current = true;
    try {
      await action();
    } catch {
      // shown by the mutation's own error state
    } finally {
      isRunning.current = false;
    }
  };
}
