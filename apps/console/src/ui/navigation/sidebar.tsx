/** The navigation at the side. Between phones and wide windows it is a rail of icons, whose labels are tooltips. */
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { profileQuery, sourceQuery } from "../../queries.ts";
import { roleName } from "../../role-texts.ts";
import { session } from "../../session.ts";
import { MODIFIER } from "../../shortcuts.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { Brand } from "../brand.tsx";
import { Icon } from "../icon.tsx";
import { Initials } from "../initials.tsx";
import { PAGES } from "../pages.ts";
import { ColorSchemeControl } from "./color-scheme-control.tsx";
import { WorkspaceMenu } from "./workspace-menu.tsx";

/** The pages under `/analytics/` belong to a source, so they highlight "Sources". */
const isWithin = (pathname: string, to: string) =>
  pathname.startsWith(to) || (to === "/sources" && pathname.startsWith("/analytics/"));

export const SidebarBrand = () => (
  <div className="shell-brand">
    <Brand />
  </div>
);

interface SidebarProps {
  /** Opens the search over pages, sources and actions. */
  readonly onSearch: () => void;
  /** Whether it covers the page of a narrow window. */
  readonly isOpened: boolean;
}

export function Sidebar({ onSearch, isOpened }: SidebarProps) {
  const { can } = useWorkspace();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  useRememberSource();
  const signOut = () => navigate({ to: "/sign-in", search: { out: "yes" }, ignoreBlocker: true });
  return (
    <>
      <SidebarBrand />
      <WorkspaceMenu />
      <button type="button" className="side-link side-search" onClick={onSearch}>
        <Icon name="search" size={17} />
        <span className="side-label">
          Search <kbd aria-hidden>{MODIFIER} K</kbd>
        </span>
      </button>
      {isOpened && <RecentSources />}
      <nav aria-label="Pages">
        {PAGES.filter(({ permission }) => can(permission)).map(({ to, label, icon }) => (
          <Link
            key={to}
            to={to}
            className="side-link"
            aria-current={isWithin(pathname, to) ? "page" : undefined}
          >
            <Icon name={icon} size={17} />
            <span className="side-label">{label}</span>
          </Link>
        ))}
      </nav>
      <div className="side-foot">
        <ProfileLink isCurrent={pathname === "/profile"} />
        <button type="button" className="side-link" onClick={() => void signOut()}>
          <Icon name="signOut" size={17} />
          <span className="side-label">Sign out</span>
        </button>
        <div className="side-end">
          <span className="side-end-label">Theme</span>
          <ColorSchemeControl />
        </div>
      </div>
    </>
  );
}

/** Names the user and the role in the workspace. */
function ProfileLink({ isCurrent }: { readonly isCurrent: boolean }) {
  const { role } = useWorkspace();
  const { data } = useQuery(profileQuery);
  const name = data?.name ?? data?.email ?? null;
  const label = name ?? (data === null ? "Access token" : "Profile");
  return (
    <Link to="/profile" className="side-link" aria-current={isCurrent ? "page" : undefined}>
      {name === null ? <Icon name="user" size={17} /> : <Initials name={name} />}
      <span className="side-label">
        {name !== null && <span className="visually-hidden">Profile: </span>}
        <bdi className="side-person">{label}</bdi> <span className="side-role">{roleName(role)}</span>
      </span>
    </Link>
  );
}

/** Remembers the source of the page when the page has loaded it. */
function useRememberSource(): void {
  const { sourceId = "" }: { sourceId?: string } = useLocation().search;
  const { data } = useQuery({ ...sourceQuery(sourceId), enabled: false });
  useEffect(() => {
    if (data) session.openedSource(data);
  }, [data]);
}

/** The stats of the sources that were opened before. A wide window has them in the list of sources, a press away. */
function RecentSources() {
  const { organizationId, can } = useWorkspace();
  const { sourceId: shownId }: { sourceId?: string } = useLocation().search;
  const sources = can("stats:read") ? session.recentSources(organizationId, shownId) : [];
  if (sources.length === 0) return null;
  return (
    <nav aria-label="Recent sources" className="side-recent">
      <div className="menu-title">Recent</div>
      {sources.map(({ sourceId, name }) => (
        <Link key={sourceId} to="/analytics/stats" search={{ sourceId }} className="side-link">
          <Icon name="world" size={17} />
          <bdi className="side-label">{name}</bdi>
        </Link>
      ))}
    </nav>
  );
}
