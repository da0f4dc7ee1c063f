/** A text that ends with "…" where it has no room. A path is cut before its last segment, which tells it from its neighbours. */

/** Splits a path before its last segment, which keeps its slash. */
const PATH = /^(\/.+)(\/[^/]+\/?)$/;

interface CutTextProps {
  readonly text: string;
  readonly className: string;
}

export function CutText({ text, className }: CutTextProps) {
  const [, start, end] = PATH.exec(text) ?? [];
  if (start === undefined) return <span className={className}>{text}</span>;
  return (
    <span className={`${className} cut-path`}>
      <span>{start}</span>
      <span>{end}</span>
    </span>
  );
}
