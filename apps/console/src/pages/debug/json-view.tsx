/** JSON line by line: what is new or other is marked, and what is wrong stands below its line. */
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import type { JsonLine } from "./json-lines.ts";

const SIGNS = { added: "+", changed: "~" } as const;
const WORDS = { added: "added", changed: "changed" } as const;

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
          <div className="json-line" data-mark={mark ?? undefined} title={mark ? WORDS[mark] : undefined}>
            <span aria-hidden="true">{mark ? SIGNS[mark] : " "}</span>
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
