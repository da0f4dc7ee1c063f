/** The opened attempt, which the URL names. Opening it adds an entry to the browser's history, so that Back closes it. */
import { useLocation, useNavigate, useRouter } from "@tanstack/react-router";
import { useCallback, useEffect, useRef } from "react";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The entry before this one is the list without an opened attempt. */
    readonly isAttemptOpened?: boolean;
  }
}

/** @param opened the attempt that the URL names; undefined: none */
export function useOpenedAttempt(opened: string | undefined) {
  const navigate = useNavigate();
  const { history } = useRouter();
  const wasOpenedHere = useLocation({ select: ({ state }) => state.isAttemptOpened === true });
  const isOpened = opened !== undefined;
  const show = useCallback(
    (
      attempt: string | undefined,
      options: { readonly replace: boolean; readonly isAttemptOpened: boolean },
    ) =>
      void navigate({
        to: ".",
        search: (before) => ({ ...before, attempt }),
        replace: options.replace,
        state: { isAttemptOpened: options.isAttemptOpened },
        resetScroll: false,
      }),
    [navigate],
  );
  const open = useCallback(
    (attempt: string) =>
      // the keys lead through many attempts: Back closes the last one
      show(attempt, { replace: isOpened, isAttemptOpened: !isOpened || wasOpenedHere }),
    [show, isOpened, wasOpenedHere],
  );
  const isClosing = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the browser has gone back when the URL names another attempt or none
  useEffect(() => {
    isClosing.current = false;
  }, [opened]);
  const close = () => {
    if (!wasOpenedHere) return show(undefined, { replace: true, isAttemptOpened: false });
    // a second press must not leave the page
    if (!isClosing.current) history.back();
    isClosing.current = true;
  };
  return { open, close };
}
