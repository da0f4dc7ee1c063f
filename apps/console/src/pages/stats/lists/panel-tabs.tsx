/** The tabs of a panel. Lists of one kind, such as those of campaigns, share a tab with a menu. */
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { moveFocus, useCloseOutside } from "../../../ui/dropdown.tsx";
import { Icon } from "../../../ui/icon.tsx";

export interface TabName {
  /** Its name in the URL. */
  readonly value: string;
  readonly label: string;
  /** Its label in a narrow panel, where all tabs should fit. */
  readonly short?: string;
  /** Neighbours with the same menu share a tab, which has the name of the first until another is selected. */
  readonly menu?: string;
}
type TabGroup = readonly [TabName, ...TabName[]];

function groupsOf(tabs: readonly TabName[]): TabGroup[] {
  const groups: [TabName, ...TabName[]][] = [];
  for (const tab of tabs) {
    const last = groups.at(-1);
    if (tab.menu !== undefined && last?.[0].menu === tab.menu) last.push(tab);
    else groups.push([tab]);
  }
  return groups;
}

interface PanelTabsProps {
  readonly label: string;
  readonly tabs: readonly TabName[];
  readonly selected: string;
  readonly onSelect: (value: string) => void;
  /** The content of the selected tab. */
  readonly children: ReactNode;
}

const TabLabel = ({ label, short }: TabName) =>
  short === undefined ? (
    label
  ) : (
    <>
      <span className="tab-full">{label}</span>
      <span className="tab-short">{short}</span>
    </>
  );

interface OpenedMenu {
  readonly group: TabGroup;
  readonly tab: HTMLElement;
}

/** Moves the focus to another tab and selects it, as in every list of tabs. */
function selectByKey(event: KeyboardEvent<HTMLElement>): void {
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]")];
  const { activeElement } = document;
  const at = activeElement instanceof HTMLElement ? tabs.indexOf(activeElement) : -1;
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const tab = tabs.at(to % tabs.length);
  tab?.focus();
  if (tab?.getAttribute("aria-selected") === "false") tab.click();
}

export function PanelTabs({ label, tabs, selected, onSelect, children }: PanelTabsProps) {
  const [opened, setOpened] = useState<OpenedMenu | null>(null);
  const panelId = useId();
  const tabId = useId();
  return (
    <>
      <div className="panel-tabs">
        <div role="tablist" aria-label={label} onKeyDown={selectByKey}>
          {groupsOf(tabs).map((group) => {
            const shown = group.find(({ value }) => value === selected) ?? group[0];
            const isSelected = shown.value === selected;
            const isMenu = group.length > 1;
            const isOpen = opened?.group[0].value === group[0].value;
            const open = (tab: HTMLElement) => setOpened(isOpen ? null : { group, tab });
            return (
              <button
                type="button"
                key={group[0].value}
                role="tab"
                id={isSelected ? tabId : undefined}
                aria-selected={isSelected}
                aria-controls={isSelected ? panelId : undefined}
                tabIndex={isSelected ? 0 : -1}
                {...(isMenu && { "aria-haspopup": "menu", "aria-expanded": isOpen })}
                // a click selects the tab; one on its arrow, or on the selected tab, opens the menu
                onClick={({ currentTarget, target }: MouseEvent<HTMLElement>) => {
                  const isOnArrow = target instanceof Element && target.closest(".icon") !== null;
                  if (isMenu && (isSelected || isOnArrow)) open(currentTarget);
                  onSelect(shown.value);
                }}
                onKeyDown={(event: KeyboardEvent<HTMLElement>) => {
                  if (!isMenu || event.key !== "ArrowDown") return;
                  event.preventDefault();
                  open(event.currentTarget);
                }}
              >
                <TabLabel {...shown} />
                {isMenu && <Icon name="chevronDown" size={12} />}
              </button>
            );
          })}
        </div>
        {opened && (
          <TabMenu
            key={opened.group[0].value}
            {...opened}
            selected={selected}
            onSelect={onSelect}
            onClose={() => setOpened(null)}
          />
        )}
      </div>
      <div role="tabpanel" id={panelId} aria-labelledby={tabId}>
        {children}
      </div>
    </>
  );
}

interface TabMenuProps extends OpenedMenu, Pick<PanelTabsProps, "selected" | "onSelect"> {
  readonly onClose: () => void;
}

/** In rem, as in the style of `dropdown-panel`. */
const MENU_WIDTH = 13;

/** Below its tab, as far as the panel has room. */
function placeBelow(tab: HTMLElement): { insetInlineStart: string } {
  const list = tab.parentElement;
  const start = tab.offsetLeft - (list?.scrollLeft ?? 0);
  return { insetInlineStart: `clamp(0px, ${start}px, max(0px, 100% - ${MENU_WIDTH}rem))` };
}

function TabMenu({ group, tab, selected, onSelect, onClose }: TabMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const items = menu.current;
    (items?.querySelector<HTMLElement>("[aria-checked=true]") ?? items?.querySelector("button"))?.focus();
  }, []);
  useCloseOutside(true, (target) => menu.current?.contains(target) || tab.contains(target), onClose);
  const closeToTab = () => {
    onClose();
    tab.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      closeToTab();
      return;
    }
    const end = { Home: 0, End: -1 }[event.key];
    if (end === undefined) return moveFocus(event);
    event.preventDefault();
    [...event.currentTarget.querySelectorAll<HTMLElement>("button")].at(end)?.focus();
  };
  return (
    <div
      ref={menu}
      role="menu"
      aria-label={group[0].label}
      className="dropdown-panel"
      style={placeBelow(tab)}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      {group.map(({ value, label }) => (
        <button
          type="button"
          key={value}
          className="menu-item"
          role="menuitemradio"
          aria-checked={value === selected}
          onClick={() => {
            closeToTab();
            onSelect(value);
          }}
        >
          <span className="menu-text">{label}</span>
          {value === selected && <Icon name="check" />}
        </button>
      ))}
    </div>
  );
}
