import { useCallback, useSyncExternalStore } from "react";

/** A window for which styles put parts below each other. */
export const PHONE = "(max-width: 40em)";

/** @returns whether the window matches the media query now */
export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
