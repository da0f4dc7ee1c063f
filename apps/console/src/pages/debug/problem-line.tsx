/** One line of the list of problems: what is wrong, and at its end the button that mends it or shows more about it. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Icon } from "../../ui/icon.tsx";
import { Button } from "../../ui/primitives/elements.tsx";

interface ProblemLineProps {
  /** A link with this fragment opens the line and scrolls to it. */
  readonly id?: string;
  /** The accessible name of the button that shows more. */
  readonly name: string;
  /** The text of the line. */
  readonly text: ReactNode;
  /** The control that fixes the problem. It takes the place of the button and of what the button shows. */
  readonly action?: ReactNode;
  readonly isMended?: boolean;
  /** Shown below the line on request; null: there is no more to show. */
  readonly children: ReactNode;
}

export function ProblemLine({ id, name, text, action = null, isMended = false, children }: ProblemLineProps) {
  const isLinked = id !== undefined && location.hash === `#${id}`;
  const [isOpen, setOpen] = useState(isLinked);
  const line = useRef<HTMLLIElement>(null);
  // the line appears after the page, which has then scrolled in vain
  useEffect(() => {
    if (isLinked) line.current?.scrollIntoView({ block: "center" });
  }, [isLinked]);
  return (
    <li ref={line} id={id} className="problem" data-mended={isMended ? "yes" : undefined}>
      <Icon name={isMended ? "check" : "warning"} size={18} />
      <div className="problem-text">{text}</div>
      {action ??
        (children && (
          <Button
            size="xs"
            variant="default"
            aria-label={`Review: ${name}`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? "Close" : "Review"}
          </Button>
        ))}
      {isOpen && !action && children && <div className="problem-text problem-more">{children}</div>}
    </li>
  );
}
