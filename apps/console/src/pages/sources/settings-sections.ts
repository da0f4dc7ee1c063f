/** The sections of a source's settings: the page lists them, and the command palette finds them. */
import type { Permission, Source } from "@headwater/contract";

interface SectionFacts {
  readonly title: string;
  readonly group: "Source" | "Stats" | "Data" | "Danger zone";
  readonly permission: Permission;
  /** Other words that people search for. */
  readonly words?: string;
}

/** By their ids, which are in the hash of the URL. */
const SECTIONS = {
  general: { title: "General", group: "Source", permission: "sources:write", words: "name slug origins" },
  privacy: { title: "Privacy", group: "Source", permission: "sources:write", words: "consent gpc gdpr" },
  embedding: { title: "Embedding", group: "Source", permission: "sources:write", words: "iframe sites" },
  "public-key": {
    title: "Public key",
    group: "Source",
    permission: "sources:admin",
    words: "rotate regenerate",
  },
  goals: { title: "Goals", group: "Stats", permission: "sources:write", words: "conversions targets" },
  "content-groups": { title: "Content groups", group: "Stats", permission: "sources:write", words: "paths" },
  exclusions: {
    title: "Exclusions",
    group: "Stats",
    permission: "sources:write",
    words: "bots paths ip addresses own office internal traffic block",
  },
  "page-urls": {
    title: "Page URLs",
    group: "Stats",
    permission: "sources:write",
    words: "query parameters slashes",
  },
  "traffic-sources-and-channels": {
    title: "Traffic sources and channels",
    group: "Stats",
    permission: "sources:write",
    words: "referrer campaign utm rules",
  },
  limits: { title: "Limits", group: "Data", permission: "sources:admin", words: "quota rate per day month" },
  "data-retention": {
    title: "Data retention",
    group: "Data",
    permission: "sources:admin",
    words: "delete older events days how long keep kept stored storage",
  },
  alerts: {
    title: "Alerts",
    group: "Data",
    permission: "support:read",
    words: "mail email notify notifications",
  },
  "erase-visitor": {
    title: "Erase visitor",
    group: "Danger zone",
    permission: "visitors:erase",
    words: "delete forget person gdpr",
  },
  active: {
    title: "Deactivate source",
    group: "Danger zone",
    permission: "sources:write",
    words: "pause stop inactive",
  },
  "delete-source": {
    title: "Delete source",
    group: "Danger zone",
    permission: "sources:admin",
    words: "remove",
  },
} as const satisfies Record<string, SectionFacts>;

export type SettingsSectionId = keyof typeof SECTIONS;

export interface SettingsSection extends Pick<SectionFacts, "title" | "group" | "words"> {
  readonly id: SettingsSectionId;
}

export const activeTitle = ({ isActive }: Pick<Source, "isActive">) =>
  isActive ? "Deactivate source" : "Activate source";

/** @returns the sections that the user may see */
export const settingsSectionsOf = (
  source: Pick<Source, "isActive">,
  can: (permission: Permission) => boolean,
): SettingsSection[] =>
  Object.entries<SectionFacts>(SECTIONS)
    .filter(([, { permission }]) => can(permission))
    .map(([id, { title, group, words = "" }]) => ({
      id: id as SettingsSectionId,
      title: id === "active" ? activeTitle(source) : title,
      group,
      words,
    }));
