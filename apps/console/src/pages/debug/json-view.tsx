/** Shows JSON line by line, with marks for added and changed values and issues below their line. */
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import type { JsonLine } from "./json-lines.ts";

const MARK_SIGNS = { added: "+", changed: "~" } as const;

interface JsonViewProps {
  readonly title: string;
  readonly lines: readonly JsonLine[];
}

export const JsonView = ({ title, lines }: JsonViewProps) => (
  <section className="json" aria-label={title}>
    <h3>{title}</h3>
    <ScrollRegion label={`${title}, JSON`} className="json-lines">
      {lines.map(({ key, depth, text, mark, issues }) => (
        <div key={key}>
          <div className="json-line" data-mark={mark ?? undefined} title={mark ?? undefined}>
            <span aria-hidden="true">{mark ? MARK_SIGNS[mark] : " "}</span>
            <code style={{ paddingInlineStart: `${depth * 1.25}em` }}>{text}</code>
          </div>
          {issues.map((issue) => (
            <p key={`${issue.path.join(".")} ${issue.code}`} className="json-issue">
              {issue.message} <span>({issue.code})</span>
            </p>
          ))}
        </div>
      ))}
    </ScrollRegion>
  </section>
);
