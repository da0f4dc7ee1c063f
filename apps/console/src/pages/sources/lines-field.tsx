import { Textarea, type TextareaProps } from "../../ui/primitives/fields.tsx";
import { type CheckLine, describeLines } from "./lines.ts";

interface LinesFieldProps extends Pick<TextareaProps, "label" | "description" | "placeholder"> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly check: CheckLine;
  /** The API's message about the line at that index, of those that are not empty. */
  readonly issueAt?: ((index: number) => string | null) | undefined;
  /** The API's message about the whole list. */
  readonly issue?: string | null | undefined;
}

/** A text area for a list with one entry per line. Each line is checked while it is typed. */
export function LinesField({
  value,
  onChange,
  check,
  issueAt = () => null,
  issue,
  ...rest
}: LinesFieldProps) {
  const wrong = describeLines(value, check, issueAt);
  const problems = issue && wrong.length === 0 ? [issue] : wrong;
  return (
    <Textarea
      minRows={2}
      maxRows={10}
      spellCheck={false}
      {...rest}
      value={value}
      error={
        problems.length > 0 &&
        problems.map((problem) => (
          <span key={problem} className="line-problem wrap">
            {problem}
          </span>
        ))
      }
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
