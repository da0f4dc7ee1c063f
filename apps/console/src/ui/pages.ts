/** The pages of a workspace and of a source, with the permission that each needs. */
export const PAGES = [
  { to: "/sources", label: "Sources", icon: "world", permission: "sources:read" },
  { to: "/team", label: "Team", icon: "users", permission: "members:manage" },
  { to: "/tokens", label: "Tokens", icon: "key", permission: "tokens:manage" },
  { to: "/audit", label: "Audit log", icon: "history", permission: "audit:read" },
  { to: "/usage", label: "Usage", icon: "usage", permission: "usage:read" },
  { to: "/support", label: "Support", icon: "support", permission: "support:read" },
] as const;

export const SOURCE_PAGES = [
  { to: "/analytics/stats", label: "Stats", icon: "usage", permission: "stats:read" },
  { to: "/analytics/setup/install", label: "Install", icon: "code", permission: "sources:read" },
  { to: "/analytics/setup/debug", label: "Debug", icon: "list", permission: "debug:read" },
  { to: "/sources/events", label: "Events", icon: "pointer", permission: "debug:read" },
  { to: "/sources/delivery", label: "Delivery", icon: "mail", permission: "sources:read" },
  { to: "/sources/settings", label: "Settings", icon: "settings", permission: "sources:write" },
] as const;

/** The views of a source's stats, besides the overview. */
export const STATS_VIEWS = [
  { value: "realtime", label: "Real time", icon: "clock" },
  { value: "funnel", label: "Funnel", icon: "funnel" },
  { value: "paths", label: "Paths", icon: "share" },
  { value: "retention", label: "Retention", icon: "repeat" },
  { value: "explore", label: "Explore", icon: "eye" },
] as const;
