/** The options of the HTML snippet. */

/** An option that is a setting of the source too has the same name there. */
export const SNIPPET_OPTIONS = [
  { name: "engagement", label: "Measure engagement", help: "Time on page and scroll depth." },
  { name: "vitals", label: "Web vitals", help: "How fast pages load and react.", extra: "web-vitals" },
  {
    name: "outbound",
    label: "Outbound links",
    help: "Clicks on links to other sites.",
    extra: "outbound-links",
  },
  { name: "downloads", label: "Downloads", help: "Clicks on links to files.", extra: "downloads" },
  { name: "forms", label: "Forms", help: "Forms that visitors submit.", extra: "forms" },
  {
    name: "hash",
    label: "Hash routing",
    help: "Each #/path counts as a page.",
    setting: "hashRouting",
    value: "true",
  },
  {
    name: "subdomains",
    label: "Subdomains",
    help: "Counts each visitor once across all subdomains.",
    setting: "crossSubdomain",
    value: "true",
  },
  {
    name: "storage",
    label: "No browser storage",
    help: "Keeps nothing in the browser. Returning visitors count as new each day.",
    setting: "persistence",
    value: "none",
  },
  {
    name: "consent",
    label: "Require consent",
    help: "Nothing is counted before consent.",
    setting: "consent",
    value: "pending",
  },
] as const;
export type SnippetOption = (typeof SNIPPET_OPTIONS)[number]["name"];

/** The options that the source's snippet has. */
export function optionsOf(browserSnippet: string): ReadonlySet<SnippetOption> {
  const options = new Set<SnippetOption>();
  if (browserSnippet.includes("?with=engagement")) options.add("engagement");
  if (browserSnippet.includes('dataset.consent = "pending"')) options.add("consent");
  return options;
}

/** @returns the source's snippet with these options and no others */
export function withOptions(browserSnippet: string, options: ReadonlySet<SnippetOption>): string {
  const chosen = SNIPPET_OPTIONS.filter(({ name }) => options.has(name));
  const extras = chosen.flatMap((option) => ("extra" in option ? [option.extra] : []));
  const settings = [
    ...(extras.length > 0 ? [["extras", extras.join(" ")]] : []),
    ...chosen.flatMap((option) => ("setting" in option ? [[option.setting, option.value]] : [])),
  ];
  const lines = settings.map(([name, value]) => `  script.dataset.${name} = "${value}";\n`);
  return browserSnippet
    .replace(
      /\/sdk\/v2\.js(?:\?with=engagement)?/,
      `/sdk/v2.js${options.has("engagement") ? "?with=engagement" : ""}`,
    )
    .replace(/^ *script\.dataset\.consent = .*\n/m, "")
    .replace(/^(?= *script\.onerror)/m, lines.join(""));
}
