/** Asks before unsaved input is lost. One dialog serves all forms of a page. */
import { type ShouldBlockFn, useBlocker } from "@tanstack/react-router";
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { closesOnBack } from "./navigation/close-on-back.ts";
import { Text } from "./primitives/elements.tsx";

interface LeaveGuard {
  /** Registers a form with unsaved input. @returns a function that unregisters it */
  register(): () => void;
  confirmLeave(): Promise<boolean>;
}
const Context = createContext<LeaveGuard>({
  register: () => () => undefined,
  confirmLeave: async () => true,
});

/** @param isUnsaved whether the form has input that leaving the page would lose */
export function useUnsavedChanges(isUnsaved: boolean): void {
  const { register } = useContext(Context);
  // a layout effect runs before the browser paints: the tab may be closed right after a key press
  useLayoutEffect(() => (isUnsaved ? register() : undefined), [isUnsaved, register]);
}

/** For code that acts before it leaves the page: it asks first and then navigates with `ignoreBlocker`. */
export const useConfirmLeave = () => useContext(Context).confirmLeave;

type BlockedNavigation = Parameters<ShouldBlockFn>[0];

/** Other changes of the URL keep the page and its forms, and Back closes an open dialog first. */
const leavesPage = ({ current, next, action }: BlockedNavigation) =>
  !(action === "BACK" && closesOnBack()) &&
  (current.pathname !== next.pathname || current.search.sourceId !== next.search.sourceId);

type ResolveLeave = (canLeave: boolean) => void;

/** Wraps the pages. Reloading or closing the tab shows the browser's own dialog instead. */
export function UnsavedChangesGuard({ children }: { readonly children: ReactNode }) {
  const [unsavedForms, setUnsavedForms] = useState(0);
  // the router learns of the state an effect later, and until then asks for every navigation
  const latest = useRef(0);
  const [resolveLeave, setResolveLeave] = useState<ResolveLeave | null>(null);
  const register = useCallback(() => {
    const add = (change: 1 | -1) => {
      latest.current += change;
      setUnsavedForms(latest.current);
    };
    add(1);
    return () => add(-1);
  }, []);
  const openDialog = useCallback(() => new Promise<boolean>((resolve) => setResolveLeave(() => resolve)), []);
  const shouldBlockFn = useCallback(
    async (navigation: BlockedNavigation) =>
      latest.current > 0 && leavesPage(navigation) && !(await openDialog()),
    [openDialog],
  );
  const enableBeforeUnload = useCallback(() => latest.current > 0, []);
  useBlocker({ shouldBlockFn, enableBeforeUnload, disabled: unsavedForms === 0 });
  const guard = useMemo(
    () => ({ register, confirmLeave: async () => latest.current === 0 || (await openDialog()) }),
    [register, openDialog],
  );
  return (
    <Context value={guard}>
      {children}
      <ConfirmDialog
        title="Discard unsaved changes?"
        confirmLabel="Discard changes"
        cancelLabel="Keep editing"
        opened={resolveLeave !== null}
        onClose={() => {
          resolveLeave?.(false);
          setResolveLeave(null);
        }}
        onConfirm={async () => resolveLeave?.(true)}
      >
        <Text>Your changes on this page have not been saved.</Text>
      </ConfirmDialog>
    </Context>
  );
}
