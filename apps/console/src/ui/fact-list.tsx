/** Names with their values, such as the figures of a visitor. The class says how they are laid out. */
import type { ReactNode } from "react";

export type Fact = readonly [name: string, value: ReactNode];

interface FactListProps {
  readonly facts: readonly Fact[];
  readonly className: string;
  /** Names the list for assistive technology. */
  readonly label?: string;
}

export const FactList = ({ facts, className, label }: FactListProps) => (
  <dl className={className} aria-label={label}>
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
