import type { ReactNode } from "react";

interface ScrollRegionProps {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A scrollable region that can be focused, so that the keyboard can scroll it. */
export const ScrollRegion = ({ label, className = "scroll", children }: ScrollRegionProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
  <section className={className} tabIndex={0} aria-label={label}>
    {children}
  </section>
);
