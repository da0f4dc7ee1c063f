import { useEffect, useRef } from "react";

/** @returns whether what asks is still on the page: who has gone elsewhere meanwhile is not taken away from there */
export function useIsMounted(): () => boolean {
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return () => isMounted.current;
}
