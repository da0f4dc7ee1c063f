/** The tabs of a panel. Lists of one kind, such as those of campaigns, share a tab with a menu. */
import { Tabs, UnstyledButton } from "@mantine/core";
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from "react";
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

export function PanelTabs({ label, tabs, selected, onSelect }: PanelTabsProps) {
  const [opened, setOpened] = useState<OpenedMenu | null>(null);
  return (
    <div className="panel-tabs">
      <Tabs.List aria-label={label}>
        {groupsOf(tabs).map((group) => {
          const shown = group.find(({ value }) => value === selected) ?? group[0];
          if (group.length === 1)
            return (
              <Tabs.Tab key={group[0].value} value={shown.value}>
                <TabLabel {...shown} />
              </Tabs.Tab>
            );
          const isOpen = opened?.group[0].value === group[0].value;
          const open = (tab: HTMLElement) => setOpened(isOpen ? null : { group, tab });
          return (
            <Tabs.Tab
              key={group[0].value}
              value={shown.value}
              aria-haspopup="menu"
              aria-expanded={isOpen}
              rightSection={<Icon name="chevronDown" size={12} />}
              // a click selects the tab; one on its arrow, or on the selected tab, opens the menu
              onClick={({ currentTarget, target }: MouseEvent<HTMLElement>) => {
                const isOnArrow = target instanceof Element && target.closest(".icon") !== null;
                if (shown.value === selected || isOnArrow) open(currentTarget);
              }}
              onKeyDown={(event: KeyboardEvent<HTMLElement>) => {
                if (event.key !== "ArrowDown") return;
                event.preventDefault();
                open(event.currentTarget);
              }}
            >
              <TabLabel {...shown} />
            </Tabs.Tab>
          );
        })}
      </Tabs.List>
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
  );
}

interface TabMenuProps extends OpenedMenu {
  readonly selected: string;
  readonly onSelect: (value: string) => void;
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
        <UnstyledButton
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
        </UnstyledButton>
      ))}
    </div>
  );
}
