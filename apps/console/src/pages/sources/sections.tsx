/** The sections of a long page, with a list of them that highlights the current one. On narrow windows it is a select. */
import { useLocation, useNavigate } from "@tanstack/react-router";
import { Fragment, type MouseEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Stack } from "../../ui/primitives/elements.tsx";
import { NativeSelect } from "../../ui/primitives/fields.tsx";
import "./sections.css";

interface PageSection {
  readonly title: string;
  readonly content: ReactNode;
}

/** A section whose top is above this line, in pixels of the window, has been reached. */
const REACHED_PX = 112;

const idOf = (title: string) => title.toLowerCase().replaceAll(/[^a-z]+/g, "-");

/** @param chosen the section that was opened last: the last ones of a page cannot reach the top of the window */
function findCurrent(ids: readonly string[], chosen: string | undefined): string | undefined {
  const { scrollHeight } = document.documentElement;
  if (scrollHeight <= window.innerHeight) return chosen ?? ids[0];
  const topOf = (id: string) => document.getElementById(id)?.getBoundingClientRect().top ?? REACHED_PX + 1;
  if (window.innerHeight + window.scrollY >= scrollHeight - 1)
    return chosen !== undefined && topOf(chosen) >= 0 ? chosen : ids.at(-1);
  return ids.findLast((id) => topOf(id) <= REACHED_PX) ?? ids[0];
}

/** Follows the scrolling. @returns the current section, and a function that scrolls to one */
function useCurrentSection(ids: readonly string[]) {
  const [current, setCurrent] = useState<string>();
  const chosen = useRef<string>(undefined);
  const known = ids.join(" ");
  const open = (id: string) => {
    chosen.current = id;
    const section = document.getElementById(id);
    section?.scrollIntoView();
    // the next Tab goes on from the section
    section?.focus({ preventScroll: true });
    setCurrent(id);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list of ids is another array after each render
  useEffect(() => {
    const linked = decodeURIComponent(location.hash.slice(1));
    if (ids.includes(linked)) open(linked);
    const update = () => {
      const found = findCurrent(ids, chosen.current);
      if (found !== chosen.current) chosen.current = undefined;
      setCurrent(found);
    };
    update();
    const options = { passive: true };
    window.addEventListener("scroll", update, options);
    window.addEventListener("resize", update, options);
    return () => {
      window.removeEventListener("scroll", update);
      window.removeEventListener("resize", update);
    };
  }, [known]);
  return { current, open };
}

interface SectionsProps {
  readonly groups: readonly {
    readonly title: string;
    /** false: one that the user may not see. */
    readonly sections: readonly (PageSection | false)[];
  }[];
}

export function Sections({ groups }: SectionsProps) {
  const shown = groups
    .map(({ title, sections }) => ({
      title,
      sections: sections.filter((one) => one !== false).map((one) => ({ ...one, id: idOf(one.title) })),
    }))
    .filter(({ sections }) => sections.length > 0);
  const all = shown.flatMap(({ sections }) => sections);
  const { current, open } = useCurrentSection(all.map(({ id }) => id));
  const navigate = useNavigate();
  const { pathname, searchStr } = useLocation();
  const openAndName = (hash: string) => {
    open(hash);
    void navigate({ to: ".", search: true, hash, replace: true, resetScroll: false });
  };
  const follow = (event: MouseEvent, hash: string) => {
    // a new tab or window opens at the section too
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openAndName(hash);
  };
  return (
    <div className="sections">
      <nav className="section-list" aria-label="Sections">
        {shown.map(({ title, sections }) => (
          <Fragment key={title}>
            <div className="section-group">{title}</div>
            {sections.map((one) => (
              <a
                key={one.id}
                href={`${pathname}${searchStr}#${one.id}`}
                aria-current={one.id === current ? "location" : undefined}
                onClick={(event) => follow(event, one.id)}
              >
                {one.title}
              </a>
            ))}
          </Fragment>
        ))}
      </nav>
      <NativeSelect
        className="section-select"
        aria-label="Section"
        value={current ?? all[0]?.id ?? ""}
        data={shown.map(({ title, sections }) => ({
          group: title,
          items: sections.map((one) => ({ value: one.id, label: one.title })),
        }))}
        onChange={(event) => openAndName(event.currentTarget.value)}
      />
      <Stack gap="lg" maw={760}>
        {all.map(({ id, content }) => (
          <div key={id} id={id} className="page-section" tabIndex={-1}>
            {content}
          </div>
        ))}
      </Stack>
    </div>
  );
}
