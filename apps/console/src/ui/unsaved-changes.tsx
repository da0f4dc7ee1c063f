/** What was typed and not saved is not left without a question: one for a page, however many forms it has. */
import { Text } from "@mantine/core";
import { type ShouldBlockFn, useBlocker } from "@tanstack/react-router";
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useLayoutEffect,
  useMemo,
  useState,
} from "react";
import { ConfirmDialog } from "./confirm-dialog.tsx";

interface Guard {
  /** From now on a form has something to lose. @returns what says that it has not any more */
  hold(): () => void;
  mayLeave(): Promise<boolean>;
}
const Context = createContext<Guard>({ hold: () => () => undefined, mayLeave: async () => true });

/** @param isUnsaved whether a form has what would be lost with its page */
export function useUnsavedChanges(isUnsaved: boolean): void {
  const { hold } = useContext(Context);
  // at once, and not when the page has been drawn: the tab may be closed right after a key
  useLayoutEffect(() => (isUnsaved ? hold() : undefined), [isUnsaved, hold]);
}

/** For what leaves the page and does more than that; it navigates with `ignoreBlocker` then. */
export const useConfirmLeave = () => useContext(Context).mayLeave;

type Way = Parameters<ShouldBlockFn>[0];

/** Forms outlive what else changes in their page's address. */
const isElsewhere = ({ current, next }: Way) =>
  current.pathname !== next.pathname || current.search.sourceId !== next.search.sourceId;

type Settle = (mayLeave: boolean) => void;

/** Around the pages. The browser itself asks whoever reloads or closes the tab. */
export function UnsavedChangesGuard({ children }: { readonly children: ReactNode }) {
  const [forms, setForms] = useState(0);
  const [settle, setSettle] = useState<Settle | null>(null);
  const hold = useCallback(() => {
    setForms((before) => before + 1);
    return () => setForms((before) => before - 1);
  }, []);
  const ask = useCallback(() => new Promise<boolean>((resolve) => setSettle(() => resolve)), []);
  const shouldBlockFn = useCallback(async (way: Way) => isElsewhere(way) && !(await ask()), [ask]);
  const isUnsaved = forms > 0;
  useBlocker({ shouldBlockFn, disabled: !isUnsaved });
  const guard = useMemo(
    () => ({ hold, mayLeave: async () => !isUnsaved || (await ask()) }),
    [hold, ask, isUnsaved],
  );
  return (
    <Context value={guard}>
      {children}
      <ConfirmDialog
        title="Leave without saving?"
        confirmLabel="Leave without saving"
        cancelLabel="Stay"
        opened={settle !== null}
        onClose={() => {
          settle?.(false);
          setSettle(null);
        }}
        onConfirm={async () => settle?.(true)}
      >
        <Text>What you have changed on this page is not saved.</Text>
      </ConfirmDialog>
    </Context>
  );
}
