import type { ReactNode } from "react";

interface ScrollProps {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** What may be wider or longer than its place, and is scrolled by keyboard too. */
export const Scroll = ({ label, className = "scroll", children }: ScrollProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
  <section className={className} tabIndex={0} aria-label={label}>
    {children}
  </section>
);
