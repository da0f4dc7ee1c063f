import { useEffect, useRef } from "react";

/** @returns a function that tells whether the component is still mounted: a response that arrives later must not navigate */
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
