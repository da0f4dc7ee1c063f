/** The content of a menu or a dialog. Its code may be loaded when it opens (`lazily`). */
import { type ReactNode, type RefObject, Suspense, useEffect } from "react";
import { Loading } from "./page-states.tsx";

interface OpenedContentProps {
  /** The menu or the dialog. */
  readonly within: RefObject<HTMLElement | null>;
  /** Selects the element that gets the focus as soon as it is there. */
  readonly focus: string;
  readonly children: ReactNode;
}

export const OpenedContent = ({ children, ...target }: OpenedContentProps) => (
  <Suspense fallback={<Loading />}>
    {children}
    <FirstFocus {...target} />
  </Suspense>
);

function FirstFocus({ within, focus }: Omit<OpenedContentProps, "children">) {
  useEffect(() => within.current?.querySelector<HTMLElement>(focus)?.focus(), [within, focus]);
  return null;
}
