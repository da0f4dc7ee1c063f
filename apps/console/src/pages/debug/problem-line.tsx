/** One line of the list of problems: what is wrong, and at its end the button that mends it or shows more about it. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { Button } from "../../ui/primitives/elements.tsx";

/** The subject of a line. */
type ProblemTone = "problem" | "mended" | "offer";

const ICONS: Readonly<Record<ProblemTone, IconName>> = {
  problem: "warning",
  mended: "check",
  offer: "history",
};

interface ProblemLineProps {
  /** A link with this fragment opens the line and scrolls to it. */
  readonly id?: string;
  /** The accessible name of the button that shows more. */
  readonly name: string;
  /** The text of the line. */
  readonly text: ReactNode;
  /** The control that fixes the problem. It takes the place of the button. */
  readonly action?: ReactNode;
  readonly tone?: ProblemTone;
  /** The list of requests shows this problem only. The line opens with it. */
  readonly isChosen?: boolean;
  /** Shown below the line on request; null: there is no more to show. */
  readonly children: ReactNode;
}

export function ProblemLine(props: ProblemLineProps) {
  const { id, name, text, action = null, tone = "problem", isChosen = false, children } = props;
  const isLinked = id !== undefined && location.hash === `#${id}`;
  const [isOpen, setOpen] = useState(isLinked || isChosen);
  const [wasChosen, setWasChosen] = useState(isChosen);
  if (wasChosen !== isChosen) {
    setWasChosen(isChosen);
    setOpen(isChosen);
  }
  const line = useRef<HTMLLIElement>(null);
  // the line appears after the page, which has then scrolled in vain
  useEffect(() => {
    if (isLinked) line.current?.scrollIntoView({ block: "center" });
  }, [isLinked]);
  return (
    <li ref={line} id={id} className="problem" data-tone={tone}>
      <Icon name={ICONS[tone]} size={18} />
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
      {isOpen && (isChosen || !action) && children && (
        <div className="problem-text problem-more">{children}</div>
      )}
    </li>
  );
}
