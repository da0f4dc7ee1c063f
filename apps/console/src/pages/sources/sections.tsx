/** The sections of a long page, with a list of them at the side that highlights the current one. */
import { Stack } from "@mantine/core";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from "react";
import "./sections.css";

interface PageSection {
  readonly title: string;
  readonly content: ReactNode;
}

/** A section whose top is above this line, in pixels of the window, has been reached. */
const REACHED_PX = 96;

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

/** @param sections false: one that the user may not see */
export function Sections({ sections }: { readonly sections: readonly (PageSection | false)[] }) {
  const shown = sections.filter((one) => one !== false).map((one) => ({ ...one, id: idOf(one.title) }));
  const { current, open } = useCurrentSection(shown.map(({ id }) => id));
  const navigate = useNavigate();
  const { pathname, searchStr } = useLocation();
  const follow = (event: MouseEvent, hash: string) => {
    // a new tab or window opens at the section too
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(hash);
    void navigate({ to: ".", search: true, hash, replace: true, resetScroll: false });
  };
  return (
    <div className="sections">
      <nav className="section-list" aria-label="Sections">
        {shown.map(({ id, title }) => (
          <a
            key={id}
            href={`${pathname}${searchStr}#${id}`}
            aria-current={id === current ? "location" : undefined}
            onClick={(event) => follow(event, id)}
          >
            {title}
          </a>
        ))}
      </nav>
      <Stack gap="lg" maw={760}>
        {shown.map(({ id, content }) => (
          <div key={id} id={id} className="page-section" tabIndex={-1}>
            {content}
          </div>
        ))}
      </Stack>
    </div>
  );
}
