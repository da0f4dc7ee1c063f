import type { ReactNode } from "react";

interface ScrollRegionProps {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** What may be wider or longer than its place, and is scrolled by keyboard too. */
export const ScrollRegion = ({ label, className = "scroll", children }: ScrollRegionProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
  <section className={className} tabIndex={0} aria-label={label}>
    {children}
  </section>
);
