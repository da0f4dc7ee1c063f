/** Lines to paste, in the form of the snippet that the page has. */
import type { PageSnippet } from "@headwater/contract";

type SnippetForm = Pick<PageSnippet, "kind" | "scriptUrl">;

/** The client from the npm package, built into the application: it has options and no script tag. */
const isBuiltIn = ({ kind, scriptUrl }: SnippetForm): boolean => kind === "bundle" && scriptUrl === null;

const OPTIONS = { key: "publicKey", api: "apiBaseUrl" } as const;

/** Sets the public key or the address of the service. */
export function renderSetting(form: SnippetForm, name: keyof typeof OPTIONS, value: string): string {
  if (form.kind === "tag") return `data-${name}="${value}"`;
  if (isBuiltIn(form)) return `${OPTIONS[name]}: ${JSON.stringify(value)}`;
  if (form.kind === "bundle") return `script.setAttribute("data-${name}", ${JSON.stringify(value)});`;
  return `script.dataset.${name} = ${JSON.stringify(value)};`;
}

/** Sets the address of the client's script. */
export const renderScriptUrl = ({ kind }: SnippetForm, url: string): string =>
  kind === "tag" ? `src="${url}"` : `script.src = trusted(${JSON.stringify(url)});`;

/** A bundle that loads the client may belong to a Next.js application, where the attributes are those of a <Script> tag. */
export const hintForNextJs = (form: SnippetForm, attributes: string): string =>
  form.kind === "bundle" && !isBuiltIn(form) ? ` In the Next.js <Script>, set ${attributes}.` : "";
