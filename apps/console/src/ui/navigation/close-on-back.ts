import { useBlocker } from "@tanstack/react-router";
import { useCallback, useEffect, useRef } from "react";

/** What is open now, the last opened last. Back closes that one only. */
const opened: object[] = [];

/** Makes the browser's Back close what is open over the page, such as a dialog, instead of leaving the page. */
export function useCloseOnBack(isOpen: boolean, onClose: () => void): void {
  const latest = useRef(onClose);
  useEffect(() => {
    latest.current = onClose;
  });
  useEffect(() => {
    if (!isOpen) return;
    opened.push(latest);
    return () => {
      opened.splice(opened.indexOf(latest), 1);
    };
  }, [isOpen]);
  const shouldBlockFn = useCallback(({ action }: { readonly action: string }) => {
    if (action !== "BACK" || opened.at(-1) !== latest) return false;
    latest.current();
    return true;
  }, []);
  useBlocker({ shouldBlockFn, enableBeforeUnload: false, disabled: !isOpen });
}

/** @returns whether Back closes something that is open, and stays on the page */
export const closesOnBack = (): boolean => opened.length > 0;
