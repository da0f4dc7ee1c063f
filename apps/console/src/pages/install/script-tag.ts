/** The script tag of a source, and the options that it can have. */

/** An option that is a setting of the source too has the same name there. */
export const TAG_OPTIONS = [
  {
    name: "engagement",
    label: "Measure engagement",
    help: "Time on page and scroll depth",
    extra: "engagement",
  },
  { name: "vitals", label: "Web vitals", help: "How fast pages load and react", extra: "web-vitals" },
  {
    name: "outbound",
    label: "Outbound links",
    help: "Clicks on links to other sites",
    extra: "outbound-links",
  },
  { name: "downloads", label: "Downloads", help: "Clicks on links to files", extra: "downloads" },
  { name: "forms", label: "Forms", help: "Forms that visitors submit", extra: "forms" },
  {
    name: "hash",
    label: "Hash routing",
    help: "Each #/path counts as a page",
    attribute: 'data-hash-routing="true"',
  },
  {
    name: "storage",
    label: "No browser storage",
    help: "Nothing is kept in the browser",
    attribute: 'data-persistence="none"',
  },
  {
    name: "consent",
    label: "Require consent",
    help: "Nothing is counted before consent",
    attribute: 'data-consent="pending"',
  },
] as const;
export type TagOption = (typeof TAG_OPTIONS)[number]["name"];

/** The options of the source's own snippet; the tag has the same. */
export function optionsOf(browserSnippet: string): ReadonlySet<TagOption> {
  const isOn = { engagement: /\?with=engagement/, consent: /dataset\.consent = "pending"/ };
  return new Set(
    TAG_OPTIONS.map(({ name }) => name).filter((name) =>
      name === "engagement" || name === "consent" ? isOn[name].test(browserSnippet) : false,
    ),
  );
}

const escapeAttribute = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

interface TagInput {
  readonly apiBaseUrl: string;
  readonly publicKey: string;
  readonly browserSnippet: string;
}

/** @returns a tag that loads the client, with one attribute in each line; calls made before it has loaded are lost */
export function toScriptTag(
  { apiBaseUrl, publicKey, browserSnippet }: TagInput,
  options: ReadonlySet<TagOption>,
): string {
  const chosen = TAG_OPTIONS.filter(({ name }) => options.has(name));
  const extras = chosen.flatMap((option) => ("extra" in option ? [option.extra] : []));
  const respectGpc = /dataset\.respectGpc = "(true|false)"/.exec(browserSnippet)?.[1];
  const attributes = [
    "defer",
    `src="${escapeAttribute(apiBaseUrl)}/sdk/v2.js"`,
    `data-key="${escapeAttribute(publicKey)}"`,
    respectGpc !== undefined && `data-respect-gpc="${respectGpc}"`,
    extras.length > 0 && `data-extras="${extras.join(" ")}"`,
    ...chosen.flatMap((option) => ("attribute" in option ? [option.attribute] : [])),
  ];
  const lines = attributes.filter((attribute) => attribute !== false);
  return `<script\n${lines.map((line) => `  ${line}\n`).join("")}></script>`;
}
