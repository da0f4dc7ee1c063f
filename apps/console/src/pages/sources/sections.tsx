/** The sections of a page: a list of them, and the open one. The URL's hash names it. On narrow windows the list is a select. */
import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import { Fragment, type ReactNode, useEffect, useRef } from "react";
import { NativeSelect } from "../../ui/primitives/fields.tsx";
import "./sections.css";

interface PageSection {
  /** In the URL. */
  readonly id: string;
  readonly title: string;
  /** The title of the group that it belongs to. */
  readonly group: string;
  readonly content: ReactNode;
}

/** A navigation to another section keeps the page's other parameters. */
const toSection = (id: string) => ({ to: ".", search: true, hash: id, hashScrollIntoView: false }) as const;

/** @returns the first field that has to be corrected, of the open section before those of the others */
function findWrongField(root: HTMLElement): HTMLInputElement | undefined {
  const fields = root.querySelectorAll<HTMLInputElement>(
    "form[data-settings] :is([aria-invalid=true], input:invalid, select:invalid, textarea:invalid)",
  );
  return [...fields].find((field) => field.checkVisibility()) ?? fields[0];
}

/** Focuses a field, and lets the browser say what it has against the value. */
function focusField(field: HTMLInputElement) {
  field.focus();
  field.reportValidity();
}

/** @returns a function that opens the section of a field that has to be corrected, and focuses the field */
export function useShowWrongField() {
  const navigate = useNavigate();
  return (root: HTMLElement | null) => {
    const field = root ? findWrongField(root) : undefined;
    const section = field?.closest<HTMLElement>(".page-section");
    // the section focuses the field once it is shown
    if (section?.hidden) void navigate(toSection(section.id));
    else if (field) focusField(field);
  };
}

interface SectionsProps {
  readonly sections: readonly PageSection[];
}

export function Sections({ sections: all }: SectionsProps) {
  const shown = [...Map.groupBy(all, ({ group }) => group)].map(([title, sections]) => ({ title, sections }));
  const { hash } = useLocation();
  const current = (all.find(({ id }) => id === hash) ?? all[0])?.id;
  const navigate = useNavigate();
  return (
    <div className="sections">
      <nav className="section-list" aria-label="Sections">
        {shown.map(({ title, sections }) => (
          <Fragment key={title}>
            <div className="section-group">{title}</div>
            {sections.map(({ id, title: name }) => (
              <Link
                key={id}
                {...toSection(id)}
                activeOptions={{ includeHash: true }}
                aria-current={id === current ? "page" : undefined}
              >
                {name}
              </Link>
            ))}
          </Fragment>
        ))}
      </nav>
      <NativeSelect
        className="section-select"
        aria-label="Section"
        value={current ?? ""}
        data={shown.map(({ title, sections }) => ({
          group: title,
          items: sections.map(({ id, title: label }) => ({ value: id, label })),
        }))}
        onChange={(event) => void navigate(toSection(event.currentTarget.value))}
      />
      {/* the hidden ones keep their input */}
      {all.map(({ id, content }) => (
        <Section key={id} id={id} isOpen={id === current}>
          {content}
        </Section>
      ))}
    </div>
  );
}

interface OpenSectionProps {
  readonly id: string;
  readonly isOpen: boolean;
  readonly children: ReactNode;
}

function Section({ id, isOpen, children }: OpenSectionProps) {
  const root = useRef<HTMLDivElement>(null);
  // a page that opens at the section focuses it too
  const wasOpen = useRef(isOpen && location.hash !== `#${id}`);
  useEffect(() => {
    const isOpened = isOpen && !wasOpen.current;
    wasOpen.current = isOpen;
    if (!isOpened || !root.current) return;
    const field = findWrongField(root.current);
    if (field) focusField(field);
    // the next Tab goes on from the section; in a select, the arrow keys go on to the next one
    else if (document.activeElement?.tagName !== "SELECT") root.current.focus({ preventScroll: true });
  }, [isOpen]);
  return (
    <div id={id} className="page-section" tabIndex={-1} ref={root} hidden={!isOpen}>
      {children}
    </div>
  );
}
