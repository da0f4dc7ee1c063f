/** The content of a menu or a dialog. Its code may be loaded when it opens (`lazily`). */
import { type ReactNode, type RefObject, Suspense, useEffect } from "react";
import { Loading } from "./page-states.tsx";

interface OpenedContentProps {
  /** The menu or the dialog. */
  readonly within: RefObject<HTMLElement | null>;
  /** Selects the element that gets the focus as soon as it is there: the first of the first selector that finds one. */
  readonly focus: readonly string[];
  readonly children: ReactNode;
}

export const OpenedContent = ({ children, ...target }: OpenedContentProps) => (
  <Suspense fallback={<Loading />}>
    {children}
    <FirstFocus {...target} />
  </Suspense>
);

function FirstFocus({ within, focus }: Omit<OpenedContentProps, "children">) {
  useEffect(() => {
    for (const selector of focus) {
      const element = within.current?.querySelector<HTMLElement>(selector);
      if (element) return element.focus();
    }
  }, [within, focus]);
  return null;
}
