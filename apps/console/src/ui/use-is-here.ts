import { useEffect, useRef } from "react";

/** @returns whether what asks is still on the page: who has gone elsewhere meanwhile is not taken away from there */
export function useIsHere(): () => boolean {
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  return () => isHere.current;
}
