/** Opens the same page of another source of the workspace, or the stats of all of them. */
import { Dropdown } from "../../ui/dropdown.tsx";
import { Icon } from "../../ui/icon.tsx";
import { lazily } from "../../ui/load-later.tsx";

const SourceMenu = lazily(async () => (await import("./source-menu.tsx")).SourceMenu);

interface SourceSwitcherProps {
  /** The id of the source; null: the page is about all of them. */
  readonly selected: string | null;
}

export const SourceSwitcher = ({ selected }: SourceSwitcherProps) => (
  <Dropdown label="Switch source" isBare button={<Icon name="chevronDown" size={18} />}>
    {(close) => <SourceMenu selected={selected} close={close} />}
  </Dropdown>
);
