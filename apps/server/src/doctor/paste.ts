/** Lines to paste, as a snippet of its kind has them. */
import type { PageSnippet } from "@headwater/contract";

type Form = Pick<PageSnippet, "kind" | "scriptUrl">;

/** The package's client, built into the application: it has options and no script of its own. */
const isBuiltIn = ({ kind, scriptUrl }: Form): boolean => kind === "bundle" && scriptUrl === null;

const OPTIONS = { key: "publicKey", api: "apiBaseUrl" } as const;

/** The source's key or the service's address, in its place. */
export function settingLine(form: Form, name: keyof typeof OPTIONS, value: string): string {
  if (form.kind === "tag") return `data-${name}="${value}"`;
  if (isBuiltIn(form)) return `${OPTIONS[name]}: ${JSON.stringify(value)}`;
  return `script.dataset.${name} = ${JSON.stringify(value)};`;
}

/** Where the client's script comes from. */
export const scriptLine = ({ kind }: Form, url: string): string =>
  kind === "tag" ? `src="${url}"` : `script.src = ${JSON.stringify(url)};`;

/** An application's script tells no more of a component than that it loads the client; Next.js has a tag there. */
export const hintOfNext = (form: Form, attributes: string): string =>
  form.kind === "bundle" && !isBuiltIn(form) ? ` In the <Script> of Next.js: ${attributes}.` : "";
